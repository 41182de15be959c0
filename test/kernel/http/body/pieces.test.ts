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
  'many objects that are not quite large': object(20, () => object(999, () => 1)),
};

describe('a large JSON value in pieces', () => {
  for (const [name, value] of Object.entries(values))
    it(`is the same when its pieces are joined, by a thread that does other work between them: ${name}`, async () => {
      const piece = cut(JSON.parse(JSON.stringify(value)));
      expect(piece).to.be.an('object');
      let now = 0;
      let turns = 0;
      const other = setImmediate(function again() {
        turns += 1;
        later = setImmediate(again);
      });
      let later = other;
      const joined = await join(structuredClone(piece ?? ''), () => (now += 1));
      clearImmediate(later);
      expect(JSON.stringify(joined.value)).to.equal(JSON.stringify(value));
      expect(turns).to.be.greaterThan(1);
      expect(joined.ms).to.be.lessThan(now);
    });

  it('is one piece when it holds -0, which no text of a part would keep', () => {
    expect(cut({ a: object(5000, (at) => at), b: [-0] })).to.equal(undefined);
  });

  it('is one piece when it has few members', () => {
    for (const value of [1, 'text', null, {}, [], object(900, () => 'v'.repeat(1000))])
      expect(cut(value)).to.equal(undefined);
  });

  it('knows the number of its members, also of those within it', async () => {
    const piece = cut({ inputs: object(3000, () => 1) });
    const { value } = await join(piece ?? '', () => 0);
    const { inputs } = value as { readonly inputs: object };
    expect([partsOf(inputs), isLarge(value)]).to.deep.equal([3000, true]);
  });
});
