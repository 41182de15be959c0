import { expect } from 'chai';
import {
  decodeBase58,
  digestMultibase,
  encodeBase58,
  multikeyOf,
  publicKeyOf,
} from '../../../../../plugins/ledger/certificate/format/multibase.ts';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

describe('base58 with its prefix', () => {
  // draft-msporny-base58, §5: test vectors.
  for (const [hex, text] of [
    [Buffer.from('Hello World!').toString('hex'), 'z2NEpo7TZRRrLZSi2U'],
    ['0000287fb4cd', 'z11233QC4'],
    ['', 'z'],
    ['00', 'z1'],
    ['0000', 'z11'],
    ['01', 'z2'],
    ['39', 'zz'],
    ['3a', 'z21'],
    ['0f', 'zG'],
  ] as const)
    it(`of ${hex === '' ? 'nothing' : hex} is ${text}, and back`, () => {
      expect(encodeBase58(bytes(hex))).to.equal(text);
      expect(decodeBase58(text)).to.deep.equal(bytes(hex));
    });

  it('is nothing else: no other prefix, no other letter, at most 128 letters', () => {
    for (const text of ['', 'u2', '2', 'z0', 'zl', 'zO', 'zI', 'z2 '])
      expect(decodeBase58(text), text).to.equal(undefined);
    expect(decodeBase58(`z${'2'.repeat(127)}`)).to.be.instanceOf(Uint8Array);
    expect(decodeBase58(`z${'2'.repeat(128)}`)).to.equal(undefined);
  });
});

describe('a Multikey', () => {
  // did:key specification: an Ed25519 key of 32 bytes.
  const multikey = 'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';

  it('is a public key, and back', () => {
    const key = publicKeyOf(multikey);
    expect(key).to.have.length(32);
    expect(multikeyOf(key ?? new Uint8Array())).to.equal(multikey);
  });

  it('is of Ed25519 and of 32 bytes', () => {
    const key = [...(publicKeyOf(multikey) ?? [])];
    for (const other of [
      [0xec, 1, ...key],
      [0xed, 2, ...key],
      [0xed, 1, ...key, 0],
      [0xed, 1, ...key.slice(1)],
    ])
      expect(publicKeyOf(encodeBase58(Uint8Array.from(other)))).to.equal(undefined);
    expect(publicKeyOf('no key')).to.equal(undefined);
  });
});

describe('a digest as a multihash', () => {
  it('names SHA-256 and its 32 bytes', () => {
    expect(Buffer.from(digestMultibase(`sha256:${'ab'.repeat(32)}`).slice(1), 'base64url').toString('hex')).to.equal(
      `1220${'ab'.repeat(32)}`,
    );
    expect(digestMultibase('ab'.repeat(32))).to.match(/^u/);
    for (const hex of ['', 'ab'.repeat(31), 'ab'.repeat(33)])
      expect(() => digestMultibase(`sha256:${hex}`)).to.throw('a digest has 32 bytes');
  });
});
