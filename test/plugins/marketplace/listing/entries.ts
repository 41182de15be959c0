import type { OrbReputation } from '../../../../plugins/ledger/contract.ts';
import type { Entry, Listing } from '../../../../plugins/marketplace/listing.ts';
import { tiers, type Tier } from '../../../../plugins/ledger/shapes.ts';

/** What may be said of an entry: texts of its listing, and what the ledger holds of it. */
export type Said = Partial<Listing> & {
  readonly score?: number | null;
  readonly tier?: Tier;
  readonly suspended?: boolean;
  readonly runs?: number;
  readonly reputation?: Partial<OrbReputation>;
  readonly signed?: boolean;
  readonly latest?: boolean;
};

/** Makes the entry of a version: active and unscored unless said. */
export function entryOf(orb_id: string, said: Said = {}): Entry {
  const { score = null, tier = 'none', suspended = false, runs = 0, reputation, signed, latest = true, ...more } = said;
  const [full = '', version = ''] = orb_id.split('@');
  const at = '2026-11-01T00:00:00.000Z';
  const listing: Listing = {
    ...{ orb_id, namespace: full.split('.')[0] ?? '', name: full.split('.')[1] ?? '', version },
    ...{ title: 'T', description: 'D', readme: '# R', category: 'x', tags: [], status: 'active' },
    ...{ manifest_digest: 'sha256:0', manifest_signed: false, published_at: at, updated_at: at, listed_at: at },
    ...{ published_after: '', listed_after: '', receipt_id: 'rec_1', revision: 1 },
    ...more,
  };
  const known = { orb_id, score, suspended, tier, tier_rank: tiers.indexOf(tier), status: 'unscored' } as const;
  const usage = { runs_30d: runs, callers_30d: 0 };
  // No list reads more of the reputation.
  return {
    listing,
    reputation: { ...known, usage, ...reputation } as OrbReputation,
    signed: signed ?? false,
    latest,
  };
}
