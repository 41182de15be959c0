import type { PluginScope, Serial } from '../../kernel/index.ts';
import type { Principals } from '../api-keys/contract.ts';
import type { CertificateRegister, Reputation } from '../ledger/contract.ts';
import type { ListingIndex } from './listing/listing-index.ts';

/** What the marketplace works with: the plugin's own scope, the services it needs, and what is published. */
export interface MarketScope extends Omit<PluginScope<unknown, never>, 'services'> {
  readonly reputation: Reputation;
  readonly certificateRegister: CertificateRegister;
  readonly principals: Principals;
  readonly listings: ListingIndex;
  /** Makes one change of the marketplace at a time. */
  readonly serial: Serial;
}
