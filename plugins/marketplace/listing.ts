import type { OrbReputation } from '../ledger/contract.ts';

/** Status of a listing; `yanked` and `removed` are final. */
export const listingStatuses = ['active', 'deprecated', 'yanked', 'removed'] as const;
/** Texts of a publisher about an Orb; the manifest holds the rest. */
export interface ListingTexts {
  readonly title: string;
  /** 1–100 characters. */
  readonly description: string;
  /** Markdown, at most 64 KB; empty: none. */
  readonly readme: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly homepage?: string;
  readonly license?: string;
}

/** One published version as it is stored. A removed version has no texts. */
export interface Listing extends ListingTexts {
  readonly orb_id: string;
  readonly namespace: string;
  /** Last label of the Orb's name. */
  readonly name: string;
  readonly version: string;
  readonly manifest_digest: string;
  /** Value attested at the last publication. */
  readonly manifest_signed: boolean;
  readonly status: (typeof listingStatuses)[number];
  /** Reason why it is no longer active. */
  readonly status_message?: string;
  /** The Orb to use instead. */
  readonly replacement?: string;
  /** RFC 3339 UTC. */
  readonly published_at: string;
  readonly updated_at: string;
  /** RFC 3339 UTC: start of the current, unbroken active time. */
  readonly listed_at: string;
  /**
   * Day of the last snapshot at the time of publication, activation and end of activity; empty: no snapshot existed
   * yet.
   */
  readonly published_after: string;
  readonly listed_after: string;
  readonly ended_after?: string;
  /** Receipt of the last change. */
  readonly receipt_id: string;
  /** 1, 2, …: counts the changes, so that a change based on an old revision is detected. */
  readonly revision: number;
}

/** One published version with the data that the ledger holds about it. */
export interface Entry {
  readonly listing: Listing;
  readonly reputation: OrbReputation;
  /** The manifest's signature verifies under the current key of the namespace. */
  readonly signed: boolean;
  /** The newest active version of its name. */
  readonly latest: boolean;
}

/** One name of the public list: its newest active version. */
export interface NameRow {
  readonly name: string;
  readonly entry: Entry;
}

/** Name of the Orb without its version: `notify.email`. */
export function nameOf({ namespace, name }: Pick<Listing, 'namespace' | 'name'>): string {
  return `${namespace}.${name}`;
}

/** Says whether a listing is on the keyed list. */
export function isListed({ status }: Pick<Listing, 'status'>): boolean {
  return status === 'active' || status === 'deprecated';
}
