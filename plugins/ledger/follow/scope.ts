import type { Awaitable, Clock, Log, Platform, Store } from '../../../kernel/index.ts';
import type { TransparencyLog } from '../../receipts/contract.ts';
import type { Profile, SnapshotRef } from '../contract.ts';
import type { Changes } from '../projection/state.ts';
import type { LedgerReads } from '../tables/reads.ts';

/** What following the log and taking snapshots needs. */
export interface FollowScope {
  readonly log: TransparencyLog;
  readonly store: Pick<Store, 'peers' | 'shared' | 'write'>;
  readonly reads: LedgerReads;
  readonly platform: Pick<Platform, 'attest'>;
  readonly clock: Clock;
  readonly profile: Profile;
  readonly logger: Pick<Log, 'error' | 'info' | 'warn'>;
  /** The last day (`YYYY-MM-DD`) whose snapshot the operator allows after more than 180 missed days. */
  readonly missedUntil?: string | undefined;
  /** Called after each batch is committed. */
  readonly onChanges: (changes: Changes) => void;
  /** Awaited after a snapshot is kept. */
  readonly onSnapshot: (snapshot: SnapshotRef) => Awaitable<void>;
  /** Called when the ledger has caught up with the log after a start behind it. */
  readonly onCaughtUp: () => void;
}
