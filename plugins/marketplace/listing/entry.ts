import type { OrbReputation } from '../../ledger/contract.ts';
import type { Listing } from './listing.ts';

/** One published version with what the ledger says of it. */
export interface Entry {
  readonly listing: Listing;
  readonly reputation: OrbReputation;
  /** The manifest's signature verifies under the namespace's key as it is now. */
  readonly signed: boolean;
  /** The newest active version of its name. */
  readonly latest: boolean;
}

/** One name of the public list: its newest active version. */
export interface NameRow {
  readonly name: string;
  readonly entry: Entry;
}
