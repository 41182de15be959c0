import { expect } from 'chai';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { linearPattern, newWork, TooMuchWork } from '../../../../../plugins/runtime/catalog/authored/schema.ts';
import { parsePattern } from '../../../../../plugins/runtime/catalog/authored/pattern-syntax.ts';

// Ordinary patterns, and all that ECMA-262 and RE2 write alike and mean differently.
const patterns = [
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$',
  '^(?:\\d{1,3}\\.){3}\\d{1,3}$',
  '^(?<year>\\d{4})-(\\d\\d)$',
  '^(GET|POST)$',
  '^a|b$',
  'a$',
  '(^a)|(b$)',
  '^(?:)$',
  '(?:)*',
  'a{0}b',
  '^a{2,3}?b*?$',
  '^((a|b)*c){2}$',
  '^.$',
  '^.{2}$',
  '^\\s*$',
  '^\\S+$',
  '[^\\S]',
  '^[\\s\\S]*$',
  '^[\\W\\D]+$',
  '^[^\\W_]+$',
  '^(\\w\\W)+$',
  '\\bfoo\\b',
  '\\Boo',
  '[]',
  '[^]',
  '^[\\]\\[]+$',
  '^[a-c-e]+$',
  '[--a]',
  '[&-&&~~]',
  '[[:alph]',
  '[\\b]',
  '^\\$\\^\\.\\*$',
  '^\\x41\\u0042\\cA\\0$',
  '\\u{1F600}',
  '^\\ud83d\\ude00$',
  '^[\\ud83d\\ude00-\\u{1F64F}]$',
  '^\\ud83d',
  '^\\ud800\\udc00$',
  '^\\udbff\\udfff$',
  '^😀{2}$',
  'é+',
  '^\\p{L}+$',
  '^\\P{L}+$',
  '^[\\p{Lu}\\d]+$',
  '^[^\\p{gc=N}]+$',
  '^\\p{Script=Greek}+$',
  '^\\p{sc=Han}$',
];
const texts = [
  ...[
    '',
    'a',
    'b',
    'ab',
    'abc',
    'aab',
    'aaab',
    'abcabc',
    'aacbbc',
    'foo',
    'oo',
    'xfoo',
    'foo bar',
    'afoo',
    'a-b-c',
    'a--b',
  ],
  ...[
    'a@b.c',
    'a.b+c@d-e.co.uk',
    'a@b',
    '10.0.0.1',
    '10.0.0',
    '2026-11',
    'GET',
    'GETS',
    'A',
    'Z',
    '_',
    '9',
    'a!a!',
    '$^.*',
  ],
  ...[
    '\n',
    '\r',
    'a\n',
    'ab\nb',
    '\t',
    '\v',
    ' ',
    '\x85',
    '\u00a0',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\b',
    '\0',
    'AB\x01\0',
  ],
  ...['-', '--', 'a-e', 'd', 'e', '[', ']', '[]', ':a]', '&', '~', '|', '/', '\\'],
  ...['é', 'É', 'ſ', '\u212a', 'Ω', 'ωα', '漢', 'Ⅷ', '😀', '😀😀', '🙏', '\u{10000}', '\u{10ffff}'],
];

describe('a pattern of an author', () => {
  it('matches in either engine what ECMA-262 says, in unicode mode and unanchored', () => {
    for (const pattern of patterns) {
      const [ours, re2, ecma] = [
        linearPattern(pattern).compile(newWork(Infinity)),
        RE2JS.compile(parsePattern(pattern).re2),
        new RegExp(pattern, 'u'),
      ];
      for (const text of texts) {
        expect(ours.test(text), `${pattern} on ${JSON.stringify(text)}`).to.equal(ecma.test(text));
        expect(re2.test(text), `${pattern} on ${JSON.stringify(text)} by RE2`).to.equal(ecma.test(text));
      }
    }
  });

  it('matches so whatever it is put together from', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '-',
      '.',
      '\\w',
      '\\S',
      '[ab]',
      '[^a-]',
      '[\\s-]',
      '\\b',
      '^',
      '$',
      '\\u{62}',
    );
    const quantifier = fc.constantFrom('', '', '*', '+?', '?', '{2}', '{1,2}', '{2,}');
    const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
      part: fc.oneof(
        { maxDepth: 3 },
        atom,
        fc.tuple(tie('pattern'), quantifier).map(([inner, many]) => `(${inner})${many}`),
      ),
      pattern: fc
        .array(
          fc.array(tie('part'), { maxLength: 3 }).map((parts) => parts.join('')),
          {
            minLength: 1,
            maxLength: 2,
          },
        )
        .map((parts) => parts.join('|')),
    }));
    fc.assert(
      fc.property(
        pattern,
        fc.array(fc.constantFrom('a', 'b', '-', ' ', '\n', 'é'), { maxLength: 6 }),
        (source, chars) => {
          const text = chars.join('');
          expect(RE2JS.compile(parsePattern(source).re2).test(text)).to.equal(new RegExp(source, 'u').test(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  // The number of steps for a character of the text; where there is none, RE2 matches.
  for (const [pattern, steps] of [
    ['^abc$', 1],
    ['^[A-Za-z0-9+/]*={0,2}$', 9],
    ['^[Hh][Tt][Tt][Pp][Ss]?://\\S+$', 20],
    ['^.{0,1000}$', 1001],
    ['^.{0,1023}$', 1024],
    ['^.{0,1024}$', undefined],
    ['[a-z]', 2],
    ['^a*b*$', undefined],
    ['a*', undefined],
    ['^a*b{9}c{0,999}$', undefined],
    ['^(a+)+$', undefined],
    ['^a|b$', undefined],
  ] as const)
    it(`${pattern} takes V8 ${steps === undefined ? 'an unknown number of' : `at most ${steps}`} steps for a character`, () => {
      expect(parsePattern(pattern).steps).to.equal(steps);
    });

  for (const [what, pattern] of [
    ['2000 characters', `^${'a'.repeat(1999)}`],
    ['1000 characters with all repetitions', '(a|b){333}'],
  ] as const)
    it(`is taken with ${what}`, () => {
      expect(linearPattern(pattern).compile(newWork(Infinity)).test('a'.repeat(2000))).to.equal(true);
    });

  it('spends its steps for each character, and may spend all that one validation has', () => {
    const work = newWork(20);
    const matcher = linearPattern('[a-z]').compile(work);
    expect(matcher.test('1234567890')).to.equal(false);
    expect(() => matcher.test('1')).to.throw(TooMuchWork);
    work.begin();
    expect(matcher.test('a')).to.equal(true);
  });

  for (const [pattern, detail] of [
    ['a(?=b)', 'lookahead'],
    ['(?!a)b', 'lookahead'],
    ['(?<=a)b', 'lookbehind'],
    ['(?<!a)b', 'lookbehind'],
    ['(a)\\1', 'backreferences'],
    ['(?<n>a)\\k<n>', 'backreferences'],
    ['(?i:a)', 'modifiers'],
    ['\\p{Emoji}', 'Emoji is not known'],
    ['\\p{Script_Extensions=Greek}', 'not known'],
    ['a(', 'Unterminated group'],
    ['\\-', 'Invalid escape'],
    ['(a|b){1001}', '3004 characters with all repetitions'],
    ['(a|b){333}c', '1001 characters with all repetitions'],
    ['(((((a|b){99}){99}){99}){99}){99}', 'too large'],
    ['a'.repeat(2001), 'at most 2000 characters'],
  ] as const)
    it(`${pattern.slice(0, 40)} is refused, with what to do instead`, () => {
      expect(() => linearPattern(pattern).compile(newWork(Infinity))).to.throw(new RegExp(detail));
    });
});
