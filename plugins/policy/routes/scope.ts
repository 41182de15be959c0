import type { Clock, Ids, Store } from '../../../kernel/index.ts';
import type { Decider } from '../decide/decider.ts';
import type { Engine } from '../decide/engine.ts';
import type { Pool } from '../evaluator/pool.ts';
import type { Changes } from '../revisions/changes.ts';
import type { PolicyReads } from '../store.ts';
import type { Tally } from '../decide/tally.ts';
import type { CompilerSource } from '../toolchain/source.ts';

/** What the routes of policies work on. */
export interface RouteScope {
  readonly engine: Engine;
  readonly decider: Decider;
  readonly changes: Changes;
  readonly pool: Pool;
  /** Evaluates what is only asked, apart from what decides. */
  readonly trial: Pool;
  readonly tally: Tally;
  readonly source: CompilerSource;
  readonly store: Store;
  readonly reads: PolicyReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly version: string;
}
