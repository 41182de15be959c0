import { expect } from 'chai';
import { textBuiltins } from '../../../../plugins/policy/builtins/text.ts';

const ask = (name: string, ...given: readonly unknown[]): unknown => textBuiltins[name]?.(...given);

describe('the text builtins of policies', () => {
  for (const [name, given, answer] of [
    ['strings.any_prefix_match', ['abc', 'ab'], true],
    ['strings.any_prefix_match', ['abc', 'bc'], false],
    [
      'strings.any_prefix_match',
      [
        ['x', 'abc'],
        ['y', 'ab'],
      ],
      true,
    ],
    [
      'strings.any_prefix_match',
      [
        ['x', 'abc'],
        ['y', 'z'],
      ],
      false,
    ],
    ['strings.any_prefix_match', [[], ['a']], false],
    ['strings.any_suffix_match', ['abc', 'bc'], true],
    ['strings.any_suffix_match', ['abc', 'ab'], false],
    [
      'strings.any_suffix_match',
      [
        ['x', 'abc'],
        ['y', 'bc'],
      ],
      true,
    ],
    ['strings.count', ['banana', 'an'], 2],
    ['strings.count', ['aaa', 'aa'], 1],
    ['strings.count', ['abc', 'x'], 0],
    ['strings.count', ['a😀b', ''], 4],
    ['indexof_n', ['banana', 'ana'], [1, 3]],
    ['indexof_n', ['😀a😀a', 'a'], [1, 3]],
    ['indexof_n', ['ab', 'ab'], [0]],
    ['indexof_n', ['ab', 'abc'], []],
    ['indexof_n', ['ab', 'ac'], []],
    ['numbers.range_step', [0, 6, 2], [0, 2, 4, 6]],
    ['numbers.range_step', [0, 5, 2], [0, 2, 4]],
    ['numbers.range_step', [5, 0, 2], [5, 3, 1]],
    ['numbers.range_step', [3, 3, 1], [3]],
    ['urlquery.encode', ["a b&c!'()*é"], 'a+b%26c%21%27%28%29%2A%C3%A9'],
    ['urlquery.decode', ['a+b%26c%2b'], 'a b&c+'],
    ['urlquery.encode_object', [{ b: 'x y', a: ['1', '2'] }], 'a=1&a=2&b=x+y'],
    ['urlquery.encode_object', [{}], ''],
    [
      'urlquery.decode_object',
      ['a=1&b=x+y&a=2&c&d=&=e&f=g=h'],
      { a: ['1', '2'], b: ['x y'], c: [''], d: [''], '': ['e'], f: ['g=h'] },
    ],
    ['urlquery.decode_object', ['&a=1&&'], { a: ['1'] }],
    ['urlquery.decode_object', [''], {}],
  ] as const)
    it(`${name} of ${JSON.stringify(given)} is ${JSON.stringify(answer)}`, () => {
      expect(ask(name, ...given)).to.deep.equal(answer);
    });

  it('numbers.range_step ends at 100,000 numbers', () => {
    expect(ask('numbers.range_step', 1, 100_000, 1)).to.have.length(100_000);
    expect(ask('numbers.range_step', 100_000, 1, 1)).to.have.length(100_000);
    expect(() => ask('numbers.range_step', 0, 100_000, 1)).to.throw('the range is longer than 100000');
  });

  for (const [name, given, fault] of [
    ['strings.any_prefix_match', [1, 'a'], 'an argument must be a string'],
    ['strings.any_prefix_match', ['a', ['b', 1]], 'an argument must be a string'],
    ['strings.count', ['a', 1], 'an argument must be a string'],
    ['strings.count', [1, 'a'], 'an argument must be a string'],
    ['indexof_n', ['a', ''], 'the text to look for is empty'],
    ['indexof_n', [null, 'a'], 'an argument must be a string'],
    ['numbers.range_step', [0, 1, 0], 'the step must be above 0'],
    ['numbers.range_step', [0, 1, -1], 'the step must be above 0'],
    ['numbers.range_step', ['0', 1, 1], 'an argument must be a number'],
    ['numbers.range_step', [0.5, 1, 1], 'an argument must be an integer within ±2^53'],
    ['numbers.range_step', [0, 2 ** 53, 1], 'an argument must be an integer within ±2^53'],
    ['urlquery.decode', ['%'], 'the text is not a valid query'],
    ['urlquery.decode', ['%ff'], 'the text is not a valid query'],
    ['urlquery.decode_object', ['a=%'], 'the text is not a valid query'],
    ['urlquery.decode_object', ['a=1;b=2'], 'the text is not a valid query'],
    ['urlquery.encode_object', [['a']], 'an argument must be an object'],
    ['urlquery.encode_object', [null], 'an argument must be an object'],
    ['urlquery.encode_object', ['a'], 'an argument must be an object'],
    ['urlquery.encode_object', [{ a: 1 }], 'an argument must be a string'],
  ] as const)
    it(`${name} refuses ${JSON.stringify(given)}`, () => {
      expect(() => ask(name, ...given)).to.throw(`${name}: ${fault}`);
    });
});
