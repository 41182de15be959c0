import { expect } from 'chai';
import { isMarked, piecesOf, piecesOfJson, type Piece } from '../../../plugins/approvals/marks.ts';

const found = (pieces: readonly Piece[]) => pieces.filter(({ kind }) => kind).map(({ kind, label }) => [kind, label]);

describe('the marks of characters that deceive', () => {
  const cases: readonly (readonly [
    what: string,
    text: string,
    marks: readonly (readonly [string, string | undefined])[],
  ])[] = [
    ['plain text', 'plain – “text” … 50 € é ß m² 漢字abc', []],
    ['text in one other script', '\u041f\u0440\u0438\u0432\u0435\u0442, \u0430 \u044d\u0442\u043e', []],
    ['an override of the direction', 'a\u202egpj.exe', [['bidi', 'U+202E right-to-left override']]],
    [
      'an isolate',
      '\u2066x\u2069',
      [
        ['bidi', 'U+2066 left-to-right isolate'],
        ['bidi', 'U+2069 pop directional isolate'],
      ],
    ],
    ['a space of no width', 'a\u200bb', [['invisible', 'U+200B zero width space']]],
    ['a joiner in an address', 'a\u2060@b', [['invisible', 'U+2060 word joiner']]],
    ['a tag character', 'a\u{e0041}', [['invisible', 'U+E0041 invisible character']]],
    ['a Hangul filler', 'a\u3164', [['invisible', 'U+3164 invisible character']]],
    [
      'an unusual space',
      'a\u00a0b\u2003',
      [
        ['space', 'U+00A0 no-break space'],
        ['space', 'U+2003 unusual space'],
      ],
    ],
    ['a line separator', 'a\u2028b', [['space', 'U+2028 line separator']]],
    [
      'control characters',
      '\0\r\u001b\u0085',
      [
        ...['U+0000 null', 'U+000D carriage return', 'U+001B escape', 'U+0085 control character'].map(
          (label) => ['control', label] as const,
        ),
      ],
    ],
    ['half of a pair', '\ud800', [['control', 'U+D800 control character']]],
    ['one letter of another script', 'p\u0430ypal', [['lookalike', 'U+0430 looks like a']]],
    ['a letter without a double', '\u0416abc', [['lookalike', 'U+0416 letter of another script']]],
    [
      'a word of doubles next to Latin',
      '\u0430\u0440\u0440.com',
      [
        ...([
          ['lookalike', 'U+0430 looks like a'],
          ['lookalike', 'U+0440 looks like p'],
          ['lookalike', 'U+0440 looks like p'],
        ] as const),
      ],
    ],
    ['a word of doubles alone', '\u0430', [['lookalike', 'U+0430 looks like a']]],
    ['a full-width letter', 'ａ', [['lookalike', 'U+FF41 looks like a']]],
    ['a mathematical letter', '\u{1d41a}', [['lookalike', 'U+1D41A looks like a']]],
    ['a slash that is none', 'a\u2215b', [['lookalike', 'U+2215 looks like /']]],
    ['a digit of another script', '1\u0966', [['lookalike', 'U+0966 digit of another script']]],
    ['a stroke through a letter', 'a\u0335', [['lookalike', 'U+0335 combining mark']]],
    ['a pile of combining marks', 'a\u0301\u0302\u0303', [['lookalike', 'U+0303 combining mark']]],
    ['Hebrew in a row', '\u05d0\u05d1 12', [['rtl', undefined]]],
  ];
  for (const [what, text, marks] of cases)
    it(`of ${what}`, () => {
      const pieces = piecesOf(text);
      expect(pieces.map((piece) => piece.text).join('')).to.equal(text);
      expect(found(pieces)).to.deep.equal(marks);
      expect(isMarked(pieces)).to.equal(marks.some(([kind]) => kind !== 'rtl'));
    });

  it('leave nothing invisible or moving in the pieces without a mark, for every character there is', () => {
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const char = String.fromCodePoint(code);
      if (!/[\p{Bidi_C}\p{DI}\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(char) || /[\n\t]/.test(char)) continue;
      const [piece] = piecesOf(char);
      if (piece?.label === undefined) expect.fail(`U+${code.toString(16)} has no mark`);
    }
  });

  it('of JSON join to the JSON text itself, and break no escape', () => {
    const value = {
      'k\u202e"y': ['line\n\u041f\u0440\u0438\u0432\u0435\u0442 "q" \\u202e \u202e', 1e21, true, null, {}, []],
      last: '\ud800\0p\u0430y',
    };
    const pieces = piecesOfJson(value);
    expect(pieces.map(({ text }) => text).join('')).to.equal(JSON.stringify(value, undefined, 2));
    expect(found(pieces).map(([kind]) => kind)).to.deep.equal(['bidi', 'bidi', 'control', 'control', 'lookalike']);
  });

  it('are all found in a long text', () => {
    const text = 'p\u0430y \u202e'.repeat(40_000);
    expect(piecesOf(text).length).to.equal(4 * 40_000);
  });
});
