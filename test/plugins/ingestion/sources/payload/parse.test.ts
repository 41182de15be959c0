import { expect } from 'chai';
import { parsePayload } from '../../../../../plugins/ingestion/sources/payload/parse.ts';
import type { Undecodable } from '../../../../../plugins/ingestion/sources/payload/undecodable.ts';

const parsed = (text: string | Uint8Array, keys = 10): unknown => {
  try {
    return parsePayload(typeof text === 'string' ? Buffer.from(text) : text, keys);
  } catch (error) {
    return `not: ${(error as Undecodable).reason}`;
  }
};
const nested = (levels: number, open = '[', close = ']'): string => open.repeat(levels) + close.repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('parsing a payload', () => {
  const rows: readonly (readonly [string, string | Uint8Array, unknown, number?])[] = [
    ['a value', '{"a":[1,"b",null]}', { a: [1, 'b', null] }],
    ['a value after a byte order mark', '\ufeff[1]', [1]],
    ['what is not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'not: not_utf8'],
    ['what is not JSON', '{', 'not: malformed_json'],
    ['nothing', '', 'not: malformed_json'],
    ['as many members as may be', '{"a":1,"b":2}', { a: 1, b: 2 }, 2],
    ['more members than may be', '{"a":1,"b":2}', 'not: too_many_keys', 1],
    ['more elements than may be', '[1,2,3,4]', 'not: too_many_keys', 2],
    ['members after a list, and elements after an object', '{"a":[{"b":1,"c":2},3],"d":4}', 'not: too_many_keys', 4],
    ['no more than these', '{"a":[{"b":1,"c":2},3],"d":4}', { a: [{ b: 1, c: 2 }, 3], d: 4 }, 5],
    ['commas and colons in a text', '[",:,:,:","a\\",,,"]', [',:,:,:', 'a",,,'], 1],
    ['a text that ends in a backslash', '["\\\\",1,2]', 'not: too_many_keys', 1],
    ['brackets in a text', `"${'['.repeat(70)}"`, '['.repeat(70)],
    ['lists nested too deep', nested(65), 'not: too_deep'],
    ['objects nested too deep', objects(65), 'not: too_deep', 99],
    [
      'many lists beside each other',
      `[${nested(3)}${`,${nested(3)}`.repeat(40)}]`,
      Array.from({ length: 41 }, () => [[[]]]),
      99,
    ],
    ['U+0000 in texts and names', '{"a\\u0000":"\\u0000\\u0000b"}', { 'a\ufffd': '\ufffd\ufffdb' }],
    ['a text that only speaks of U+0000', '["\\\\u0000"]', ['\\u0000']],
    ['many objects beside each other', `[{}${',{}'.repeat(80)}]`, Array.from({ length: 81 }, () => ({})), 99],
    ['the largest exact integer', '9007199254740991', 9007199254740991],
    ['an integer beyond it', '9007199254740993', '9007199254740993'],
    ['a negative integer beyond it', '[-9007199254740993]', ['-9007199254740993']],
    ['a fraction with many digits', '[0.12345678901234567]', [0.12345678901234567]],
    ['a number with an exponent beside an integer beyond it', '[1e300,9007199254740993]', [1e300, '9007199254740993']],
    ['digits in a text', '["9007199254740993"]', ['9007199254740993']],
  ];
  for (const [name, text, expected, keys] of rows)
    it(`reads ${name}`, () => {
      expect(parsed(text, keys)).to.deep.equal(expected);
    });

  it('reads 64 levels', () => {
    expect(parsed(nested(64))).to.be.an('array');
    expect(parsed(objects(64), 64)).to.be.an('object');
  });
});
