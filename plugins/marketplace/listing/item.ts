import { exactly, given, optional, type Infer, type JsonSchema } from '../../../kernel/index.ts';
import { tiers } from '../../ledger/contract.ts';
import type { Entry } from '../listing.ts';
import { listingStatuses, nameOf } from '../listing.ts';
import { shownScore } from './order.ts';

const time = { type: 'string', format: 'date-time' } as const;

// Not closed: the schema of a single version (`listingDetail`) adds members.
const { additionalProperties: _, ...item } = exactly('Listing', {
  orb_id: { type: 'string', description: 'Id of the Orb' },
  namespace: { type: 'string', description: 'Its namespace' },
  name: { type: 'string', description: '`<namespace>.<orb-name>`, as on the public list' },
  version: { type: 'string', description: 'Its version' },
  title: { type: 'string', description: 'Its title' },
  description: { type: 'string', description: 'What it does' },
  certification_tier: { enum: tiers, description: '`none` while suspended' },
  reputation_score: {
    type: ['integer', 'null'],
    description: '0–100, of the last snapshot; null: unscored, or suspended',
  },
  standing: { enum: ['active', 'suspended'], description: 'Current state; suspended versions are listed last' },
  provisional: { type: 'boolean', description: 'Too few callers or runs: a score without a tier' },
  score_limited_by: optional({
    type: 'string',
    description: 'The component whose ceiling limits the score; absent: none',
  }),
  publisher: {
    description: 'Who publishes it',
    ...exactly({
      namespace: { type: 'string', description: 'Granted by the operator' },
      manifest_signed: { type: 'boolean', description: "The signature verifies with the namespace's current key" },
    }),
  },
  category: { type: 'string', description: 'Its category' },
  tags: { type: 'array', description: 'Tags for search', items: { type: 'string' } },
  status: { enum: listingStatuses, description: 'Status of the version' },
  status_message: optional({ type: 'string', description: 'Why it is not active' }),
  replacement: optional({ type: 'string', description: 'The Orb to use instead of a deprecated one' }),
  latest: { type: 'boolean', description: 'The newest active version of its name' },
  published_at: { ...time, description: 'When it was published' },
  updated_at: { ...time, description: 'When it last changed' },
  certificate_url: { type: 'string', description: 'Address of its certificate' },
  badge_url: { type: 'string', description: 'Address of its badge' },
  manifest_digest: { type: 'string', description: 'Digest of its manifest' },
  usage: {
    description: 'Usage',
    ...exactly({
      runs_30d: { type: 'integer', description: 'Counted runs of the last 30 days' },
      callers_30d: { type: 'integer', description: 'Callers of the last 30 days' },
    }),
  },
});

/** Schema of one published version on the keyed list. */
export const listingItem = item;

/** One published version on the keyed list. */
export type ListingItem = Infer<typeof listingItem>;

/** Schema of one published version when it is read alone: with all texts of its publisher. */
export const listingDetail = {
  $id: 'ListingDetail',
  allOf: [
    listingItem,
    {
      type: 'object',
      required: ['readme', 'receipt_id'],
      properties: {
        readme: { type: 'string', description: 'Markdown; empty: none' },
        homepage: { type: 'string', description: 'Address of its home page' },
        license: { type: 'string', description: 'Its license' },
        receipt_id: { type: 'string', description: 'Receipt of the last change' },
      },
    },
  ],
} as const satisfies JsonSchema;

/** Makes the entry of a version on the keyed list. */
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
    ...given({ status_message, replacement }),
    latest,
    published_at: listing.published_at,
    updated_at: listing.updated_at,
    certificate_url: `${base}/certificate`,
    badge_url: `${base}/badge`,
    manifest_digest: listing.manifest_digest,
    usage: { ...reputation.usage },
  };
}

/** Makes the answer for a single version, with all texts of its publisher. */
export function detailOf(entry: Entry, publicUrl: string): Infer<typeof listingDetail> {
  const { readme, homepage, license, receipt_id } = entry.listing;
  return { ...itemOf(entry, publicUrl), readme, ...given({ homepage, license }), receipt_id };
}
