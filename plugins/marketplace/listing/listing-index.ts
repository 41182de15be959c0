import { whenKnown, type Awaitable, type Listeners } from '../../../kernel/index.ts';
import type { ListingStatus } from '../contract.ts';
import { newestFirst, type Reputation } from '../../ledger/contract.ts';
import { isListed, nameOf, type Entry, type Listing, type NameRow } from '../listing.ts';
import { versionsInOrder, namesInOrder } from './order.ts';
import type { ListingReads } from '../store.ts';

/** The state of the marketplace at one moment. */
export interface ListingsNow {
  /** Every version ever published, by orb_id. */
  readonly all: ReadonlyMap<string, Entry>;
  readonly statuses: ReadonlyMap<string, ListingStatus>;
  /** Versions on the keyed list, in its order. */
  readonly versions: readonly Entry[];
  /** Names on the public list, in its order. */
  readonly names: readonly NameRow[];
}

/** The published versions in memory: rebuilt after a change, a snapshot or a new standing. */
export class ListingIndex {
  readonly #reads: ListingReads;
  readonly #reputation: Reputation;
  readonly #listeners: Listeners;
  #state: Awaitable<ListingsNow> | undefined;
  readonly #stops: readonly (() => void)[];

  constructor(reads: ListingReads, reputation: Reputation, listeners: Listeners) {
    this.#reads = reads;
    this.#listeners = listeners;
    this.#reputation = reputation;
    const changed = (): void => this.changed();
    this.#stops = [reputation.onSnapshot(changed), reputation.onStanding(changed)];
  }

  now(): Awaitable<ListingsNow> {
    if (this.#state !== undefined) return this.#state;
    const built = whenKnown(this.#reads.all(), (listings) => this.#build(listings));
    this.#state = built;
    if (built instanceof Promise) this.#keep(built);
    return built;
  }

  /** Finds one version with its README. */
  async find(orbId: string): Promise<Entry | undefined> {
    const listing = await this.#reads.find(orbId);
    return listing === undefined ? undefined : { ...this.entryOf(listing, await this.now()), listing };
  }

  /** Makes the entry that a listing would have next to the others. */
  entryOf(listing: Listing, { all }: ListingsNow): Entry {
    const known = all.get(listing.orb_id);
    const latest = known?.listing.revision === listing.revision ? known.latest : isLatest(listing, all);
    return { ...this.#read(listing), latest };
  }

  /** Marks the data in memory as out of date. */
  changed(): void {
    this.#state = undefined;
    this.#listeners.tell();
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #read(listing: Listing): Omit<Entry, 'latest'> {
    const { orb_id, manifest_signed } = listing;
    const signed = this.#reputation.manifest(orb_id)?.signed ?? manifest_signed;
    return { listing, reputation: this.#reputation.get(orb_id), signed };
  }

  // Do not cache a result that was read before a change.
  #keep(built: Promise<ListingsNow>): void {
    const settle = (state: ListingsNow | undefined): void => void (this.#state === built && (this.#state = state));
    built.then(settle, () => settle(undefined));
  }

  #build(listings: readonly Listing[]): ListingsNow {
    const newest = newestOfNames(listings);
    const entries = listings.map((listing) => ({
      ...this.#read(listing),
      latest: newest.get(nameOf(listing)) === listing.orb_id,
    }));
    const day = this.#reputation.snapshot()?.day ?? '';
    return {
      all: new Map(entries.map((entry) => [entry.listing.orb_id, entry])),
      statuses: new Map(listings.map(({ orb_id, status }) => [orb_id, status])),
      versions: versionsInOrder(
        entries.filter(({ listing }) => isListed(listing)),
        day,
      ),
      names: namesInOrder(entries, day),
    };
  }
}

function isLatest(listing: Listing, all: ListingsNow['all']): boolean {
  const others = [...all.values()].map((entry) => entry.listing).filter(({ orb_id }) => orb_id !== listing.orb_id);
  return newestOfNames([...others, listing]).get(nameOf(listing)) === listing.orb_id;
}

/** Finds the newest active version of each name. */
function newestOfNames(listings: readonly Listing[]): ReadonlyMap<string, string> {
  const active = listings.filter(({ status }) => status === 'active').sort(newestFirst);
  // `new Map` keeps the last entry of a key, so the reversed order keeps the newest version of each name.
  return new Map(active.reverse().map((listing) => [nameOf(listing), listing.orb_id]));
}
