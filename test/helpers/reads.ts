import type { Operations, Store, StoreModule } from '../../kernel/store/contract.ts';

/** Opens the reads of a store module on SQLite, where each answers the value itself. */
export function readsNow<R>(store: Store, module: StoreModule<Operations, R>): R {
  // Only on SQLite is this true.
  return store.reads(module) as unknown as R;
}
