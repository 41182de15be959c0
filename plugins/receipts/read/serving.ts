import type { AwaitedReads, Clock, Ids, Log, Store } from '../../../kernel/index.ts';
import type { KeyState } from '../keys/service/state.ts';
import type { KnownFacts } from '../kinds/facts-file.ts';
import type { Kinds } from '../kinds/kind.ts';
import type { Reads, ServedReads } from '../store.ts';

/** What the serving thread works with. */
export interface Serving {
  readonly clock: Clock;
  readonly facts: KnownFacts;
  readonly ids: Ids;
  readonly keys: KeyState;
  /** The kinds of facts that are attested besides runs. */
  readonly kinds: Kinds;
  readonly log: Log;
  readonly reads: ServedReads;
  /** The same reads on a thread of their own, for lists and exports. */
  readonly lists: AwaitedReads<Reads>;
  readonly store: Store;
}
