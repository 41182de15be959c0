import journalStore from './store.ts';
import { operation, type Store } from '../../../kernel/index.ts';

// Most rows deleted per write, so that the writer can commit runs in between.
const most = 5000;

/** Erases the idempotency keys that have expired at a time, milliseconds since the Unix epoch; returns how many. */
export async function eraseKeys(store: Pick<Store, 'write'>, now: number): Promise<number> {
  for (let total = 0; ;) {
    const [erased] = await store.write([operation(journalStore, 'eraseKeys', { now, most })]);
    total += Number(erased);
    if (Number(erased) < most) return total;
  }
}
