import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { encodeBase64 } from '../../../../../plugins/receipts/format/base64.ts';
import { formatVkey, isKeyName, noteKey, parseVkey } from '../../../../../plugins/receipts/log/pure/vkey.ts';

/** A vkey whose id fits whatever it says. */
function vkeyOf(name: string, type: number, key: Uint8Array): string {
  const id = createHash('sha256').update(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), key]));
  return `${name}+${id.digest('hex').slice(0, 8)}+${encodeBase64(Uint8Array.of(type, ...key))}`;
}

describe('reading a vkey', () => {
  const key = new Uint8Array(32).fill(7);

  it('takes the two known types', () => {
    expect(parseVkey(vkeyOf('a', 1, key))).to.deep.equal(noteKey('a', key));
    expect(parseVkey(vkeyOf('a', 4, key))).to.deep.equal(noteKey('a', key, 'cosignature'));
  });

  for (const [what, text] of [
    ['a type that it does not know', vkeyOf('a', 2, key)],
    ['an unknown type under the id of a known one', formatVkey(noteKey('a', key)).replace('+AQ', '+Ag')],
    ['a key of 31 bytes', vkeyOf('a', 1, key.subarray(1))],
    ['a key of 33 bytes', vkeyOf('a', 1, new Uint8Array(33))],
    ['a name with a space', vkeyOf('a b', 1, key)],
    ['a name that is not well-formed', vkeyOf('\ud800', 1, key)],
  ] as const)
    it(`refuses ${what}, though its id fits`, () => {
      expect(parseVkey(text)).to.equal(undefined);
    });
});

describe('the name of a key', () => {
  it('holds no white space, no control character, no plus and no half of a pair', () => {
    expect(['log.example', 'ins_X.orb/receipts/0', 'é😀'].filter(isKeyName)).to.have.length(3);
    for (const name of ['', 'a b', 'a\u2003b', 'a+b', 'a\u0000', 'a\u0085b', 'a\ud800'])
      expect(isKeyName(name), JSON.stringify(name)).to.equal(false);
  });
});
