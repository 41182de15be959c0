import { expect } from 'chai';
import { encodeBase64 } from '../../../../../plugins/receipts/format/base64.ts';
import { formatProof, parseProof } from '../../../../../plugins/receipts/log/pure/proof-file.ts';

const hash = new Uint8Array(32).fill(3);
const proofOf = (count: number, checkpoint = 'note\n', one = hash) =>
  formatProof({ index: 5n, hashes: Array.from({ length: count }, () => one), checkpoint });
const sized = (length: number): string => proofOf(1, 'x'.repeat(length - proofOf(1, '').length));

describe('the syntax of a proof file', () => {
  for (const [what, text] of [
    ['no hash', proofOf(0)],
    ['64 hashes', proofOf(64)],
    ['131,072 characters', sized(131_072)],
    ['blank lines in its checkpoint', proofOf(1, 'one\n\ntwo\n')],
  ] as const)
    it(`allows ${what}`, () => {
      expect(formatProof(parseProof(text) ?? expect.fail('not read'))).to.equal(text);
    });

  for (const [what, text] of [
    ['65 hashes', proofOf(65)],
    ['131,073 characters', sized(131_073)],
    ['a hash of 31 bytes', proofOf(1, 'note\n', hash.subarray(1))],
    ['a hash of 33 bytes', proofOf(1, 'note\n', new Uint8Array(33))],
    ['no checkpoint', proofOf(1).split('\n\n').slice(0, 1).join('')],
    ['no checkpoint, and a character after the hashes', `${proofOf(0).split('\n\n').slice(0, 1).join('')}x`],
    ['no index', proofOf(0).replace('index 5\n', '')],
    ['an index without a number', proofOf(0).replace('index 5', 'index x')],
    ['a second extra line', proofOf(0).replace('index', 'extra AAAA\nextra AAAA\nindex')],
    ['an extra line after the index', proofOf(0).replace('index 5', 'index 5\nextra AAAA')],
    ['a line among the hashes that is none', proofOf(1).replace(encodeBase64(hash), `${encodeBase64(hash)}\n?`)],
  ] as const)
    it(`refuses ${what}`, () => {
      expect(parseProof(text)).to.equal(undefined);
    });
});
