import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { canonical, perFrozen } from '../../../kernel/tools/canonical.ts';

const outcome = (write: () => string | undefined): string => {
  try {
    return write() ?? 'nothing';
  } catch {
    return 'refused';
  }
};
const byLibrary = (value: unknown): string => outcome(() => canonicalize(value)).replace(/^nothing$/, 'refused');

/** A copy with the members of all objects in order, so that the fast way is taken. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder((value as Record<string, unknown>)[name])]));
}

const circular: { self?: unknown } = {};
circular.self = circular;
let deep: unknown = 1;
for (let level = 0; level < 20_000; level++) deep = { a: deep };

describe('the canonical form', () => {
  it('is that of the library for any JSON, in order or not', () => {
    const json = fc.jsonValue({ depthSize: 'medium', stringUnit: 'binary' });
    fc.assert(
      fc.property(json, (value) => {
        expect(outcome(() => canonical(value))).to.equal(byLibrary(value));
        expect(outcome(() => canonical(inOrder(value)))).to.equal(byLibrary(value));
      }),
      { numRuns: 500 },
    );
  });

  for (const [what, value] of [
    ['names in another order than UTF-8 would have', { '\u{1f600}': 1, '\ufb33': 2 }],
    ['names that look like numbers', { 9: 1, 10: 2 }],
    ['no members', [{}, [], '']],
    ['minus zero', [-0, { a: -0 }]],
    ['NaN', [NaN]],
    ['infinity', { a: Infinity }],
    ['a lone surrogate', ['\ud800']],
    ['a lone surrogate in a name', { '\udc00': 1 }],
    ['undefined in an object', { a: undefined, b: 1 }],
    ['undefined in a list', [undefined, 1]],
    ['a hole in a list', [, 1]],
    ['a function', { a: () => 1 }],
    ['a bigint', { a: 1n }],
    ['a date', { at: new Date(0) }],
    ['toJSON of its own', { a: { toJSON: () => ({ z: 1, b: 2 }) } }],
    ['toJSON of a list', Object.assign([1], { toJSON: () => ({ z: 1, b: 2 }) })],
    ['toJSON that is not listed', Object.defineProperty({ a: 1 }, 'toJSON', { value: () => ({ z: 1, b: 2 }) })],
    ['a boxed NaN', { a: Object(NaN) as object }],
    ['a boxed string', { a: Object('text') as object }],
    ['a map', { a: new Map([['b', 1]]) }],
    ['no prototype', Object.assign(Object.create(null) as object, { b: 1, a: 2 })],
    ['a circle', circular],
    ['many levels', deep],
    ['nothing', undefined],
    ['a word', 'word'],
  ] as const)
    it(`is that of the library for ${what}`, () => {
      expect(outcome(() => canonical(value))).to.equal(byLibrary(value));
    });
});

describe('what is made once of a frozen object', () => {
  it('is made each time of one that may change, and once of one that cannot', () => {
    let made = 0;
    const sum = perFrozen(({ a }: { a: number }) => ({ sum: a + ++made }));
    const loose = { a: 1 };
    expect([sum(loose).sum, sum(loose).sum]).to.deep.equal([2, 3]);
    const frozen = Object.freeze({ a: 10 });
    expect(sum(frozen)).to.equal(sum(frozen));
    expect(made).to.equal(3);
  });
});
