import { operation, timestamp, type Operation } from '../../../kernel/index.ts';
import type { StandingChange } from '../../ledger/contract.ts';
import type { Entry, Listing } from '../listing/listing.ts';
import type { MarketScope } from '../scope.ts';
import marketplaceStore from '../store.ts';

/**
 * Attests a change of a listing and stores it with its receipt and with the operations that `more` makes from the
 * entry.
 */
export async function attestListing(
  listing: Listing,
  said: Pick<StandingChange, 'facts' | 'decision'>,
  { clock, listings, log, platform, reputation }: MarketScope,
  more: (entry: Entry) => readonly Operation[] = () => [],
): Promise<Entry> {
  const before = await listings.now();
  const changed = (receipt_id: string): Listing => ({ ...listing, receipt_id });
  const { manifest_digest } = said.facts;
  const { receipt_id } = await platform.attest<StandingChange>({
    fact: { kind: 'standing', at: timestamp(clock.now()), orb_id: listing.orb_id, ...said },
    operations: (id) => [
      operation(marketplaceStore, 'put', changed(id)),
      ...more(listings.entryOf(changed(id), before)),
      // The log now names this manifest, so it must stay the only manifest of this id.
      ...(manifest_digest === undefined ? [] : platform.keepManifest(listing.orb_id, manifest_digest)),
    ],
  });
  listings.changed();
  // The listing is already committed: if the ledger is late, only its data about the Orb is late.
  await reputation.settled().catch((error: unknown) => log.warn({ err: error }, 'the ledger is behind'));
  listings.changed();
  return listings.entryOf(changed(receipt_id), await listings.now());
}
