import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { bodyText, decode } from '../../../../providers/http/exchange/decode.ts';
import { allowing, call, createBed, says } from '../bed.ts';

const kilobyte = 1024;

describe('the body of an answer', () => {
  const bed = createBed();
  const fetched = async (body: string | Buffer, headers: Record<string, string> = {}, config: object = {}) => {
    const target = await bed.target(says(200, headers, body));
    return call(await bed.open({ ...allowing(target), ...config }), { url: target.url });
  };

  it('is text when it is UTF-8, byte for byte, and base64 when it is not', async () => {
    expect(await fetched('\ufeffčau 👋\0')).to.deep.include({ body: '\ufeffčau 👋\0', encoding: 'utf8' });
    expect(await fetched(Buffer.from([0xff, 0xfe, 0]))).to.deep.include({ body: '//4A', encoding: 'base64' });
    expect(await fetched('')).to.deep.include({ body: '', encoding: 'utf8' });
  });

  it('is whole up to the cap, and cut and marked beyond it', async () => {
    const at = await fetched('x'.repeat(kilobyte), {}, { max_body_bytes: kilobyte });
    expect(at)
      .to.deep.include({ body: 'x'.repeat(kilobyte) })
      .and.not.have.property('truncated');
    const above = await fetched('x'.repeat(kilobyte + 1), {}, { max_body_bytes: kilobyte });
    expect(above).to.deep.include({ body: 'x'.repeat(kilobyte), truncated: true });
  });

  it('is cut after 1 MiB by default, and the rest is not waited for', async () => {
    const target = await bed.target((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
      const pour = (): void => void (socket.destroyed || socket.write(chunk, pour));
      pour();
    });
    const outputs = await call(await bed.open(allowing(target)), { url: target.url });
    expect((outputs['body'] as string).length).to.equal(1_048_576);
    expect(outputs['truncated']).to.equal(true);
    await target.quiet();
  });

  it('may be capped at nothing', async () => {
    expect(await fetched('x', {}, { max_body_bytes: 0 })).to.deep.include({ body: '', truncated: true });
  });

  it('ends with a whole character when it is cut within one', async () => {
    for (const [cap, body] of [
      [1, 'a'],
      [2, 'a'],
      [3, 'a'],
      [4, 'a'],
      [5, 'a👋'],
    ] as const)
      expect(await fetched('a👋b', {}, { max_body_bytes: cap })).to.deep.include({ body, encoding: 'utf8' });
    expect(bodyText(Buffer.from('a👋').subarray(0, 3), true).encoding, 'but a whole one is not shortened').to.equal(
      'base64',
    );
  });

  const codings = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync, GZIP: gzipSync };
  for (const [coding, compress] of Object.entries(codings))
    it(`comes without its coding: ${coding}`, async () => {
      const outputs = await fetched(compress('hello'), { 'content-encoding': coding });
      expect(outputs).to.deep.include({ body: 'hello', encoding: 'utf8' }).and.not.have.property('truncated');
      expect(outputs['headers']).not.to.have.property('content-encoding');
    });

  it('is handed on as it came under a coding we did not ask for, also one upon another', async () => {
    const twice = gzipSync(gzipSync('hello'));
    for (const coding of ['zstd', 'gzip, gzip', 'constructor']) {
      const outputs = await fetched(twice, { 'content-encoding': coding });
      expect(outputs).to.deep.include({ body: twice.toString('base64'), encoding: 'base64' });
      expect(outputs['headers']).to.deep.include({ 'content-encoding': coding });
    }
  });

  const bombs = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  for (const [coding, compress] of Object.entries(bombs))
    it(`does not explode: ${coding}`, async () => {
      const bomb = compress(Buffer.alloc(16 * kilobyte * kilobyte));
      expect(bomb.length).to.be.lessThan(100 * kilobyte);
      const outputs = await fetched(bomb, { 'content-encoding': coding }, { max_body_bytes: 100 * kilobyte });
      expect((outputs['body'] as string).length).to.equal(100 * kilobyte);
      expect(outputs['truncated']).to.equal(true);
    });

  it('is decoded no further than the cap', async () => {
    const before = process.memoryUsage.rss();
    const { bytes, whole } = await decode(gzipSync(Buffer.alloc(64 * kilobyte * kilobyte)), 'gzip', kilobyte);
    expect([bytes.length, whole]).to.deep.equal([kilobyte, false]);
    expect(process.memoryUsage.rss() - before).to.be.lessThan(128 * kilobyte * kilobyte);
  });

  it('is decoded as far as it came when the cap ends the compressed bytes', async () => {
    const noise = Array.from({ length: 4000 }, (_, index) => String((index * 7919) % 104_729)).join(',');
    const outputs = await fetched(gzipSync(noise), { 'content-encoding': 'gzip' }, { max_body_bytes: 4096 });
    expect(outputs['truncated']).to.equal(true);
    expect(noise.startsWith(outputs['body'] as string)).to.equal(true);
    expect(outputs['body']).not.to.equal('');
  });

  it('is nothing for a HEAD, whatever its headers promise', async () => {
    const target = await bed.target((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\ncontent-encoding: gzip\r\n\r\n'),
    );
    const outputs = await call(await bed.open(allowing(target)), { url: target.url, method: 'HEAD' });
    expect(outputs).to.deep.equal({
      status: 200,
      headers: { 'content-encoding': 'gzip', 'content-length': '5000' },
      body: '',
      encoding: 'utf8',
    });
  });
});
