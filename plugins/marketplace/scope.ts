import type { PluginScope, Serial } from '../../kernel/index.ts';
import type { Principals } from '../api-keys/contract.ts';
import type { CertificateRegister, Reputation } from '../ledger/contract.ts';
import type { Pages } from '../pages/contract.ts';
import type { ListingIndex } from './listing/listing-index.ts';
import type { ListingReads } from './store.ts';
import type { Runtime } from '../runtime/contract.ts';

/** Scope of the marketplace: the plugin's own scope, the services it needs, and the published versions. */
export interface MarketScope extends Omit<PluginScope<unknown, never>, 'services'> {
  readonly reputation: Reputation;
  readonly certificateRegister: CertificateRegister;
  readonly principals: Principals;
  readonly runtime: Runtime;
  /** Absent: there are no pages. */
  readonly pages?: Pages;
  readonly listings: ListingIndex;
  readonly reads: ListingReads;
  /** Runs the changes of the marketplace one at a time. */
  readonly serial: Serial;
}
