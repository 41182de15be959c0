import { operation, type Store } from '../../../store/contract.ts';
import type { StoreRetry } from '../../journal/store-retry.ts';
import limitsStore from './store.ts';

/** What lowering needs. */
export interface LowerOptions {
  readonly store: Pick<Store, 'node' | 'write'>;
  readonly retry: Pick<StoreRetry, 'until'>;
}

/**
 * Lowers the permits of a name at this node, in the store. What it refuses is written again a second later, by what is
 * true then: otherwise no other node could have them. `wantedNow`: how many this node wants; undefined while it asks for
 * more, which tells the store as well.
 */
export function lowerPermits({ retry, store }: LowerOptions, name: string, wantedNow: () => number | undefined): void {
  const { incarnation } = store.node;
  // The write goes out behind those before it: who asks later asks for what is true then.
  const lower = async (): Promise<void> => {
    const wanted = wantedNow();
    if (wanted !== undefined)
      await store.write([operation(limitsStore, 'lowerPermits', { name, incarnation, wanted })]);
  };
  void retry.until(lower, 'the server could not return permits of runs');
}
