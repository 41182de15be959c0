import journalStore from './store.ts';
import { operation, eraseAll, type Store } from '../../../kernel/index.ts';

/** Erases the idempotency keys that have expired at a time, milliseconds since the Unix epoch; returns how many. */
export function eraseKeys(store: Pick<Store, 'write'>, now: number): Promise<number> {
  return eraseAll(store, (most) => operation(journalStore, 'eraseKeys', { now, most }));
}
