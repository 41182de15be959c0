import type { AwaitedReads, Clock, Log, Store } from '../../../kernel/index.ts';
import type { KeyState } from '../keys/service/state.ts';
import type { KnownFacts } from '../kinds/facts-file.ts';
import type { Reads, ServedReads } from '../store.ts';

/** What the serving thread works with. */
export interface Serving {
  readonly clock: Clock;
  readonly facts: KnownFacts;
  readonly keys: KeyState;
  readonly log: Log;
  readonly reads: ServedReads;
  /** The same reads on a thread of their own, for lists and exports. */
  readonly lists: AwaitedReads<Reads>;
  readonly store: Store;
}
