import { expect } from 'chai';
import { cut, join } from '../../../../kernel/http/body/pieces.ts';
import { isLarge, partsOf } from '../../../../kernel/tools/schema/large-value.ts';

const object = (count: number, member: (at: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, member(at)]));

const values: Readonly<Record<string, unknown>> = {
  'an object of many members': object(49_000, (at) => at),
  'an array of many items': Array.from({ length: 200_000 }, (_, at) => at % 10),
  'a large object among small members': { a: 1, b: object(5000, (at) => ({ at })), c: [true, null], 7: 'x', 1: 'y' },
  'many small objects': Array.from({ length: 20_000 }, (_, at) => ({ id: at, tags: ['ä', '\u0000'] })),
  'a large value deep inside': { a: [{ b: [0, { c: object(3000, (at) => `${at}`) }] }] },
  'many objects that are not quite large': object(20, () => object(990, () => 1)),
  'keys and texts with the characters of the grammar': object(3000, (at) => ({ [`"\\,{[]}:${at}`]: '\\",]}{:[\\\\' })),
  'empty objects and arrays, and numbers of each form': Array.from({ length: 3000 }, () => [
    {},
    [],
    -1.5e-7,
    1e21,
    null,
  ]),
};

describe('a large JSON value in pieces', () => {
  for (const [name, value] of Object.entries(values))
    it(`is the same when its pieces are joined, by a thread that does other work between them: ${name}`, async () => {
      for (const text of [JSON.stringify(value), JSON.stringify(value, null, '\t')]) {
        const pieces = cut(text);
        expect(pieces).to.be.an('object');
        let now = 0;
        let turns = 0;
        let later = setImmediate(function again() {
          turns += 1;
          later = setImmediate(again);
        });
        const [joined, ms] = await join(text, structuredClone(pieces), () => (now += 1));
        clearImmediate(later);
        expect(JSON.stringify(joined)).to.equal(JSON.stringify(value));
        expect(turns).to.be.greaterThan(1);
        expect(ms).to.be.lessThan(now);
      }
    });

  it('keeps -0, and the end of a text that is white space', async () => {
    const text = `{"a":[${'0,'.repeat(5000)}-0 ], "b":-0}\n`;
    const [value] = await join(text, cut(text), () => 0);
    const { a, b } = value as {
      readonly a: readonly number[];
      readonly b: number;
    };
    expect([Object.is(a.at(-1), -0), Object.is(b, -0), a.length]).to.deep.equal([true, true, 5001]);
  });

  it('is one piece when it has few members', () => {
    for (const value of [1, 'text', null, {}, [], object(900, () => 'v'.repeat(1000))])
      expect(cut(JSON.stringify(value))).to.equal(undefined);
  });

  it('knows the number of its members, also of those within it', async () => {
    const text = JSON.stringify({ inputs: object(3000, () => 1) });
    const [value] = await join(text, cut(text), () => 0);
    const { inputs } = value as { readonly inputs: object };
    expect([partsOf(inputs), isLarge(value)]).to.deep.equal([3000, true]);
  });
});
