import { createHash } from 'node:crypto';
import { defineRoute, exactly, given, namesTag, optional, reply, type Route } from '../../../kernel/index.ts';
import { tiers, type Reputation } from '../../ledger/contract.ts';
import type { ListingIndex } from './listing-index.ts';
import type { NameRow } from '../listing.ts';
import { detailOf, itemOf, listingDetail, listingItem } from './item.ts';
import { shownScore } from './order.ts';
import { pagingHeaders } from './paging.ts';
import { facetNames, facetsOf, listQuery, narrowed, pagingQuery, sorted } from './query.ts';
import { neverPublished, problems } from '../problems.ts';

const counts = { type: 'object', additionalProperties: { type: 'integer' } } as const;

const asOf = 'While the ledger is behind the log: the last counted entry';

const position = optional({
  description: asOf,
  ...exactly({
    origin: { type: 'string', description: 'Name of the log' },
    index: { type: 'integer', description: 'Position in the log, from 0' },
  }),
});

const listPage = exactly('ListingPage', {
  orbs: { type: 'array', description: 'The page', items: listingItem },
  total: { type: 'integer', description: 'Total number of items' },
  limit: { type: 'integer', description: 'Number of items on a page' },
  offset: { type: 'integer', description: 'Number of skipped items' },
  as_of: position,
  facets: optional({
    type: 'object',
    description: 'With `facets=true`: number of versions for each value, with all other filters applied',
    required: facetNames,
    properties: {
      tier: { ...counts, description: 'By certification tier' },
      namespace: { ...counts, description: 'By namespace' },
      category: { ...counts, description: 'By category' },
      status: { ...counts, description: 'By status' },
    },
  }),
});

const publicPage = exactly('PublicListings', {
  orbs: {
    type: 'array',
    description: 'The page',
    items: exactly({
      name: { type: 'string', description: '`<namespace>.<orb-name>`' },
      description: { type: 'string', description: 'Description for people' },
      certification_tier: { enum: tiers, description: 'Certification tier' },
      reputation_score: { type: ['integer', 'null'], description: '0 to 100; null: unscored' },
    }),
  },
});

/** What the lists need. */
interface ListScope {
  readonly listings: ListingIndex;
  readonly publicUrl: string;
  readonly reputation: Reputation;
}

/** Makes the routes that read published versions. */
export function listRoutes(scope: ListScope): readonly Route[] {
  return [listRoute(scope), publicRoute(scope), detailRoute(scope)];
}

const listRoute = ({ listings, publicUrl, reputation }: ListScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/marketplace/orbs',
    operationId: 'listListings',
    service: 'ledger',
    anyKey: true,
    summary: 'List published Orbs of all tenants, one row per version',
    query: listQuery,
    response: listPage,
    sends: { Link: true, 'X-Total-Count': true },
    async handle({ query }) {
      const { all, versions: listed } = await listings.now();
      const versions = query.orb_id === undefined ? listed : [all.get(query.orb_id) ?? []].flat();
      const fitting = sorted(narrowed(versions, query), query);
      const { limit, offset, facets } = query;
      const total = fitting.length;
      return reply({
        headers: pagingHeaders(`${publicUrl}/marketplace/orbs`, query, { limit, offset, total }),
        body: {
          orbs: fitting.slice(offset, offset + limit).map((entry) => itemOf(entry, publicUrl)),
          ...{ total, limit, offset },
          ...given({ as_of: reputation.asOf() }),
          ...(facets ? { facets: facetsOf(versions, query) } : {}),
        },
      });
    },
  });

// A caller without a query gets as much of the list as one page can hold.
const publicQuery = { ...pagingQuery, limit: { ...pagingQuery.limit, default: 100 } } as const;

const publicRoute = ({ listings, publicUrl, reputation }: ListScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/marketplace/orbs/public',
    operationId: 'listPublicListings',
    service: 'ledger',
    public: true,
    summary: 'List published Orbs with four fields, one row per name: its newest active version',
    query: { type: 'object', additionalProperties: false, properties: publicQuery },
    response: publicPage,
    conditional: true,
    sends: {
      ...{ Link: true, 'X-Total-Count': true },
      'X-As-Of': { description: `${asOf}, as \`<origin>@<index>\``, schema: { type: 'string' } },
    },
    async handle({ query, headers }) {
      const { names } = await listings.now();
      const { limit, offset } = query;
      const rows = names.slice(offset, offset + limit).map(publicRow);
      const body = JSON.stringify({ orbs: rows });
      const paging = pagingHeaders(`${publicUrl}/marketplace/orbs/public`, query, {
        limit,
        offset,
        total: names.length,
      });
      const told = { ...paging, ...behind(reputation.asOf()) };
      const etag = `"${createHash('sha256')
        .update(`${JSON.stringify(told)}\n${body}`)
        .digest('base64url')}"`;
      const answered = { ...told, ...openToAll, ETag: etag };
      if (namesTag(headers['if-none-match'], etag)) return reply({ status: 304, headers: answered });
      return reply({ headers: answered, body: JSON.parse(body) as object });
    },
  });

// A header, since the body has one member; nothing else may ever be added to it.
function behind(position: ReturnType<Reputation['asOf']>): Readonly<Record<string, string>> {
  return position === undefined ? {} : { 'X-As-Of': `${position.origin}@${position.index}` };
}

const openToAll = {
  'Cache-Control': 'public, max-age=60',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link, X-As-Of, X-Total-Count',
} as const;

/** The four public fields; nothing else may ever be added here. */
function publicRow({ name, entry }: NameRow): object {
  return {
    name,
    description: entry.listing.description,
    certification_tier: entry.reputation.tier,
    reputation_score: shownScore(entry),
  };
}

const detailRoute = ({ listings, publicUrl, reputation }: ListScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/marketplace/orbs/{orb_id}',
    operationId: 'getListing',
    service: 'ledger',
    anyKey: true,
    summary: 'Read one published version, including yanked and removed ones',
    params: exactly({
      orb_id: {
        type: 'string',
        maxLength: 200,
        description: 'Id with version, or a name for its newest active version',
      },
    }),
    response: listingDetail,
    problems: [problems.listing_not_found],
    async handle({ params: { orb_id } }) {
      const entry = await listings.find(reputation.versionOf(orb_id));
      if (entry === undefined) throw neverPublished(orb_id);
      return detailOf(entry, publicUrl);
    },
  });
