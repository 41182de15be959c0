import type { StoreRetry } from '../../journal/store-retry.ts';
import limitsStore from './store.ts';
import { operation, type Store } from '../../../../kernel/index.ts';

/** What lowering needs. */
export interface LowerOptions {
  readonly store: Pick<Store, 'node' | 'write'>;
  readonly retry: Pick<StoreRetry, 'until'>;
}

/**
 * Lowers the permits of a name at this node, in the store. If the store refuses, the node writes the then current
 * number a second later: otherwise no other node could get these permits. `wantedNow`: how many this node wants;
 * undefined while a request for more is open, which tells the store the number as well.
 */
export function lowerPermits({ retry, store }: LowerOptions, name: string, wantedNow: () => number | undefined): void {
  const { incarnation } = store.node;
  // Writes keep their order, so a later request reads this one's result.
  const lower = async (): Promise<void> => {
    const wanted = wantedNow();
    if (wanted !== undefined)
      await store.write([operation(limitsStore, 'lowerPermits', { name, incarnation, wanted })]);
  };
  void retry.until(lower, 'the server could not return permits of runs');
}
