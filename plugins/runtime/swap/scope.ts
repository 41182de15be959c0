import type { RuntimeScope } from '../facts/scope.ts';
import type { StoreRetry } from '../journal/store-retry.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { KnownProviders } from '../provider/known.ts';
import type { RuntimeReads } from '../store.ts';

/** What swaps are made with, on the node that leads them and on the others. */
export interface SwapScope extends RuntimeScope {
  readonly bindings: Bindings;
  readonly reads: RuntimeReads;
  readonly retry: StoreRetry;
  /** How long runs may finish on the old generation, ms. */
  readonly drainMs: number;
  /** Finds a configured provider with its references resolved again. Throws 422 `invalid_provider`. */
  readonly resolve: KnownProviders['resolve'];
}
