import { randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { inflated } from '../../../../../plugins/ingestion/sources/payload/inflate.ts';
import { Undecodable } from '../../../../../plugins/ingestion/sources/payload/undecodable.ts';

const most = 8 * 1024 * 1024;
const failure = (bytes: Uint8Array, encoding: string, limit = most): Promise<{ code?: string; reason?: string }> =>
  inflated(bytes, encoding, limit).then(
    () => expect.fail('was inflated'),
    (error: unknown) => error as object,
  );

describe('what a sender has packed', () => {
  it('is unpacked, gzip and deflate, and left alone when it is not packed', async () => {
    const text = Buffer.from('what it was');
    for (const [encoding, bytes] of [
      ['gzip', gzipSync(text)],
      [' GZIP ', gzipSync(text)],
      ['x-gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
    ] as const)
      expect(Buffer.from(await inflated(bytes, encoding, most)).toString(), encoding).to.equal('what it was');
    for (const encoding of [undefined, '', 'identity']) expect(await inflated(text, encoding, 1)).to.equal(text);
  });

  it('may be any ratio up to 64 KiB, and 100 : 1 above', async () => {
    const small = gzipSync(Buffer.alloc(64 * 1024));
    expect(small.length * 100).to.be.lessThan(64 * 1024);
    expect(await inflated(small, 'gzip', most)).to.have.length(64 * 1024);
    expect(await failure(gzipSync(Buffer.alloc(64 * 1024 + 1)), 'gzip')).to.include({ code: 'payload_too_large' });
    expect(await failure(gzipSync(Buffer.alloc(1024 * 1024)), 'gzip')).to.include({ code: 'payload_too_large' });
    // What does not pack that well may be as large as the limit says.
    const plain = Buffer.from(randomBytes(100_000).toString('hex'));
    const packed = gzipSync(plain);
    expect(plain.length)
      .to.be.greaterThan(64 * 1024)
      .and.lessThan(packed.length * 100);
    expect(await inflated(packed, 'gzip', plain.length)).to.have.length(plain.length);
  });

  it('is never larger than the limit', async () => {
    const packed = gzipSync(Buffer.alloc(2000));
    expect(await inflated(packed, 'gzip', 2000)).to.have.length(2000);
    expect(await failure(packed, 'gzip', 1999)).to.include({ code: 'payload_too_large' });
  });

  it('in another way, or broken, cannot be read', async () => {
    for (const [encoding, bytes] of [
      ['br', gzipSync('x')],
      ['constructor', gzipSync('x')],
      ['gzip', Buffer.from('no gzip')],
      ['gzip', gzipSync('x'.repeat(1000)).subarray(0, 15)],
    ] as const)
      expect(await failure(bytes, encoding), encoding).to.be.instanceOf(Undecodable);
  });
});
