/** The part of the marketplace that other plugins may import: the status of published versions. */
import { defineService, type Awaitable } from '../../kernel/index.ts';

/** The status of a published version. */
export type ListingStatus = 'active' | 'deprecated' | 'yanked' | 'removed';

/** The listings of the marketplace. */
export interface Listings {
  /** Returns the status of every version ever published, by orb_id. */
  statuses(): Awaitable<ReadonlyMap<string, ListingStatus>>;
  /** Calls back after each change of a listing; the function that is returned ends that. */
  onChange(callback: () => void): () => void;
}

/** The service that answers the status of published versions. */
export const listings = defineService<Listings>('listings');
