import type { Operation, Store } from './contract.ts';

// Most rows of one write, so that the writer can commit runs in between.
const most = 5000;

/** Writes an operation that erases at most so many rows, again until it finds fewer; answers how many rows were erased. */
export async function eraseAll(
  store: Pick<Store, 'write'>,
  operationOf: (most: number) => Operation<number | bigint>,
): Promise<number> {
  for (let total = 0; ;) {
    const [erased] = await store.write([operationOf(most)]);
    total += Number(erased);
    if (Number(erased) < most) return total;
  }
}
