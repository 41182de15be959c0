import type { Infer, JsonSchema } from '../../kernel/index.ts';
import { tiers } from '../ledger/contract.ts';
import type { Entry } from './board.ts';
import { listingStatuses, nameOf } from './listing.ts';
import { shownScore } from './order.ts';

const time = { type: 'string', format: 'date-time' } as const;

const itemProperties = {
  orb_id: { type: 'string' },
  namespace: { type: 'string' },
  name: { type: 'string', description: '`<namespace>.<orb-name>`, as on the public list' },
  version: { type: 'string' },
  title: { type: 'string' },
  description: { type: 'string' },
  certification_tier: { enum: tiers, description: '`none` while suspended' },
  reputation_score: {
    type: ['integer', 'null'],
    description: '0–100, of the last snapshot; null: unscored, or suspended',
  },
  standing: { enum: ['active', 'suspended'], description: 'As it is now; a suspended version is listed last' },
  provisional: { type: 'boolean', description: 'Too few callers or runs: a number without a tier' },
  score_limited_by: { type: 'string', description: 'The component whose ceiling holds the score down; absent: none' },
  publisher: {
    type: 'object',
    required: ['namespace', 'manifest_signed'],
    properties: {
      namespace: { type: 'string', description: 'Granted by the operator' },
      manifest_signed: { type: 'boolean', description: "Verifies under the namespace's key as it is now" },
    },
  },
  category: { type: 'string' },
  tags: { type: 'array', items: { type: 'string' } },
  status: { enum: listingStatuses },
  status_message: { type: 'string', description: 'Why it is not active' },
  replacement: { type: 'string', description: 'The Orb to use instead of a deprecated one' },
  latest: { type: 'boolean', description: 'The newest active version of its name' },
  published_at: time,
  updated_at: time,
  certificate_url: { type: 'string' },
  badge_url: { type: 'string' },
  manifest_digest: { type: 'string' },
  usage: {
    type: 'object',
    required: ['runs_30d', 'callers_30d'],
    properties: { runs_30d: { type: 'integer' }, callers_30d: { type: 'integer' } },
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const required = [
  ...(['orb_id', 'namespace', 'name', 'version', 'title', 'description', 'certification_tier'] as const),
  ...(['reputation_score', 'standing', 'provisional', 'publisher', 'category', 'tags', 'status', 'latest'] as const),
  ...(['published_at', 'updated_at', 'certificate_url', 'badge_url', 'manifest_digest', 'usage'] as const),
] as const;

/** Schema of one published version on the keyed list. */
export const listingItem = {
  $id: 'Listing',
  type: 'object',
  required,
  properties: itemProperties,
} as const satisfies JsonSchema;

/** One published version on the keyed list. */
export type ListingItem = Infer<typeof listingItem>;

/** Schema of one published version, read alone: with all that its publisher said. */
export const listingDetail = {
  $id: 'ListingDetail',
  type: 'object',
  required: [...required, 'readme', 'receipt_id'],
  properties: {
    ...itemProperties,
    readme: { type: 'string', description: 'Markdown; empty: none' },
    homepage: { type: 'string' },
    license: { type: 'string' },
    receipt_id: { type: 'string', description: 'Receipt of the last change' },
  },
} as const satisfies JsonSchema;

/** Shows a version as the keyed list does. */
export function itemOf(entry: Entry, publicUrl: string): ListingItem {
  const { listing, reputation, signed, latest } = entry;
  const { orb_id, namespace, version, title, description, category, status, status_message, replacement } = listing;
  const base = `${publicUrl}/reputation/${encodeURIComponent(orb_id)}`;
  return {
    orb_id,
    namespace,
    name: nameOf(listing),
    version,
    title,
    description,
    certification_tier: reputation.tier,
    reputation_score: shownScore(entry),
    standing: reputation.suspended ? 'suspended' : 'active',
    provisional: reputation.status === 'provisional',
    ...(reputation.limited_by === undefined || reputation.suspended ? {} : { score_limited_by: reputation.limited_by }),
    publisher: { namespace, manifest_signed: signed },
    category,
    tags: [...listing.tags],
    status,
    ...(status_message === undefined ? {} : { status_message }),
    ...(replacement === undefined ? {} : { replacement }),
    latest,
    published_at: listing.published_at,
    updated_at: listing.updated_at,
    certificate_url: `${base}/certificate`,
    badge_url: `${base}/badge`,
    manifest_digest: listing.manifest_digest,
    usage: { ...reputation.usage },
  };
}

/** Shows a version with all that its publisher said. */
export function detailOf(entry: Entry, publicUrl: string): Infer<typeof listingDetail> {
  const { readme, homepage, license, receipt_id } = entry.listing;
  return {
    ...itemOf(entry, publicUrl),
    readme,
    ...(homepage === undefined ? {} : { homepage }),
    ...(license === undefined ? {} : { license }),
    receipt_id,
  };
}
