import { expect } from 'chai';
import { eraseAll, type Operation } from '../../../kernel/index.ts';

describe('an erasure of many rows', () => {
  for (const [rows, writes] of [
    [0, 1],
    [4999, 1],
    [5000, 2],
    [12_000, 3],
  ] as const)
    it(`of ${rows} needs ${writes} writes of at most 5000 rows`, async () => {
      const sizes: number[] = [];
      let left = rows;
      const store = {
        write: (async ([{ args: most }]: readonly [Operation<number>]) => {
          const erased = Math.min(left, most as number);
          left -= erased;
          sizes.push(erased);
          return [erased];
        }) as never,
      };
      const erased = await eraseAll(store, (most) => ({ store: 'notes', name: 'erase', args: most }));
      expect([erased, left, sizes.length, Math.max(...sizes) <= 5000]).to.deep.equal([rows, 0, writes, true]);
    });
});
