import type { Clock, Ids, Platform } from '../../../kernel/index.ts';
import type { TransparencyLog } from '../../receipts/contract.ts';
import type { Profile } from '../contract.ts';
import type { Ledger } from '../follow/ledger.ts';
import type { LedgerReads } from '../reputation/reads.ts';
import type { Desk } from '../reputation/service.ts';
import type { Signatures } from '../signatures.ts';
import type { Sight } from './visible.ts';

/** What the routes of the ledger answer from. */
export interface RouteScope {
  readonly desk: Desk;
  readonly ledger: () => Ledger;
  readonly reads: LedgerReads;
  readonly signatures: Signatures;
  readonly log: TransparencyLog;
  readonly platform: Platform;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly profile: Profile;
  readonly sight: Sight;
}
