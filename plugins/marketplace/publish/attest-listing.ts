import { operation, timestamp, type Operation } from '../../../kernel/index.ts';
import type { StandingChange } from '../../ledger/contract.ts';
import type { Entry, Listing } from '../listing.ts';
import { againWhenOvertaken, overtakable } from '../overtaken.ts';
import type { MarketScope } from '../scope.ts';
import marketplaceStore from '../store.ts';

/** The attested data of a listing. */
export interface Said extends Pick<StandingChange, 'facts' | 'decision'> {
  /** How many listings there were when the name was compared with theirs; absent: the name is not new. */
  readonly compared?: number;
}

/**
 * Attests a change of a listing and stores it with its receipt and with the operations that `more` makes from the
 * entry.
 */
export async function attestListing(
  listing: Listing,
  { compared, ...said }: Said,
  { clock, listings, log, platform, reputation, runtime, store }: MarketScope,
  more: (entry: Entry) => readonly Operation[] = () => [],
): Promise<Entry> {
  const before = await listings.now();
  const changed = (receipt_id: string): Listing => ({ ...listing, receipt_id });
  const { manifest_digest } = said.facts;
  const attested = platform.attest<StandingChange>({
    fact: { kind: 'standing', at: timestamp(clock.now()), orb_id: listing.orb_id, ...said },
    operations: (id) => [
      ...(compared === undefined ? [] : [operation(marketplaceStore, 'compared', { listings: compared })]),
      operation(marketplaceStore, 'put', changed(id)),
      ...more(listings.entryOf(changed(id), before)),
      // The log now names this manifest, so it must stay the only manifest of this id.
      ...(manifest_digest === undefined ? [] : runtime.keepManifest(listing.orb_id, manifest_digest)),
    ],
  });
  const { receipt_id } = await overtakable(attested);
  listings.changed();
  // The listing is already committed: if the ledger is late, only its data about the Orb is late.
  await reputation.settled().catch((error: unknown) => log.warn({ err: error }, 'the ledger is behind'));
  listings.changed();
  await store.peers.everywhere();
  return listings.entryOf(changed(receipt_id), await listings.now());
}

/** Changes a listing as it is now: again when another node has changed it meanwhile. */
export function onNewest<T>({ listings, store }: MarketScope, change: () => Promise<T>): Promise<T> {
  return againWhenOvertaken({ shared: store.shared, forget: () => listings.changed() }, change);
}
