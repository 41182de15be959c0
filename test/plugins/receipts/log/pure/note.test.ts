import { expect } from 'chai';
import { encodeBase64 } from '../../../../../plugins/receipts/format/base64.ts';
import {
  cosignatureTime,
  noteOf,
  openNote,
  parseNote,
  noteKey,
  formatVkey,
  isKeyName,
  parseVkey,
} from '../../../../../plugins/receipts/log/pure/note.ts';
import { createHash } from 'node:crypto';

const key = noteKey('log.example', new Uint8Array(32));
const lineOf = (bytes: Uint8Array, name = key.name): string => `\u2014 ${name} ${encodeBase64(bytes)}\n`;
const signed = (signature: readonly number[]): string => lineOf(Uint8Array.of(...key.id, ...signature));
const line = signed([1]);

describe('the syntax of a signed note', () => {
  for (const [what, note] of [
    [
      '64 signatures',
      noteOf(
        'text\n',
        Array.from({ length: 64 }, () => line),
      ),
    ],
    ['65,536 characters', noteOf(`${'a'.repeat(65_536 - 2 - line.length)}\n`, [line])],
    ['a key id and one byte in a line', noteOf('text\n', [line])],
    ['blank lines in its text', noteOf('one\n\ntwo\n', [line])],
  ] as const)
    it(`allows ${what}`, () => {
      const parsed = parseNote(note);
      expect(parsed).to.not.equal(undefined);
      expect(noteOf(parsed?.text ?? '', parsed?.signatures.map(() => line) ?? [])).to.equal(note);
    });

  for (const [what, note] of [
    [
      '65 signatures',
      noteOf(
        'text\n',
        Array.from({ length: 65 }, () => line),
      ),
    ],
    ['65,537 characters', noteOf(`${'a'.repeat(65_537 - 2 - line.length)}\n`, [line])],
    ['a line with a key id alone', noteOf('text\n', [lineOf(key.id)])],
    ['a line with a word more', noteOf('text\n', [line.replace('\n', ' more\n')])],
    ['a name with a plus', noteOf('text\n', [lineOf(Uint8Array.of(...key.id, 1), 'a+b')])],
    ['no text', `\n\n${line}`],
    ['no blank line', `x${line}`],
    ...['\u0000', '\t', '\u000b', '\u001f', '\u007f', '\u0085', '\u009f'].map(
      (mark) => [`the control character ${JSON.stringify(mark)}`, noteOf(`te${mark}xt\n`, [line])] as const,
    ),
  ] as const)
    it(`refuses ${what}`, () => {
      expect(parseNote(note)).to.equal(undefined);
    });
});

describe('opening a signed note', () => {
  const opened = (lines: readonly string[], keys = [key]) => {
    const tried: number[] = [];
    const parsed = parseNote(noteOf('text\n', lines)) ?? expect.fail('not read');
    const result = openNote(parsed, keys, (_key, _message, [first = 0]) => tried.push(first) > 0 && first !== 9);
    return { result, tried };
  };

  it('tries a key on its first line alone', () => {
    expect(opened([signed([1]), signed([9])])).to.deep.equal({ result: { by: [key] }, tried: [1] });
    expect(opened([signed([9]), signed([1])])).to.deep.equal({ result: { forged: key }, tried: [9] });
  });

  it('knows a key by its name and its id, both', () => {
    const renamed = { ...key, name: 'other.example' };
    const otherId = { ...key, id: Uint8Array.of(1, 2, 3, 4) };
    for (const known of [renamed, otherId])
      expect(opened([signed([1])], [known])).to.deep.equal({ result: { by: [] }, tried: [] });
  });
});

describe('the time of a cosignature', () => {
  it('is in 72 bytes, and in no other number of them', () => {
    const of = (length: number) => cosignatureTime(Uint8Array.from({ length }, (_, at) => Number(at === 7)));
    expect([71, 72, 73].map(of)).to.deep.equal([undefined, 1n, undefined]);
  });
});

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
