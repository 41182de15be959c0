import { integer, type Infer, type JsonSchema } from '../../../kernel/index.ts';
import { reachableTiers, tiers } from '../../ledger/contract.ts';
import type { Entry } from '../listing.ts';
import { nameOf } from '../listing.ts';
import { byNameThenVersion, byScore, shownScore } from './order.ts';

/** Query members for the paging of both lists. */
export const pagingQuery = {
  limit: integer(1, 100, 20, 'Number of entries to return'),
  offset: integer(0, 10_000, 0, 'Number of entries to skip'),
} as const;

const word = { type: 'string', minLength: 1, maxLength: 200 } as const;

/** Schema of the query of the keyed list. */
export const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tier: { enum: reachableTiers, description: 'Exactly this certification tier' },
    ...pagingQuery,
    min_tier: { enum: reachableTiers, description: 'This certification tier or a higher one' },
    q: { ...word, description: 'Words; each must be in name, title, description, category or tags' },
    namespace: { ...word, description: 'Exactly this namespace' },
    category: { ...word, description: 'Exactly this category' },
    status: { enum: ['active', 'deprecated'], description: 'Default: both' },
    orb_id: { ...word, description: 'Exactly this version, even one that was yanked or removed' },
    sort: {
      enum: ['score', 'name', 'updated', 'published', 'runs'],
      default: 'score',
      description: '`score`: the order of the last snapshot; newer listings come last',
    },
    order: { enum: ['asc', 'desc'], description: 'Default: asc by name, else desc' },
    facets: {
      type: 'boolean',
      default: false,
      description: 'Counts the values of tier, namespace, category and status',
    },
  },
} as const satisfies JsonSchema;

/** The query of the keyed list. */
type ListQuery = Infer<typeof listQuery>;

/** Conditions that narrow a list. */
export type Filter = Partial<Pick<ListQuery, 'tier' | 'min_tier' | 'q' | 'namespace' | 'category' | 'status'>>;

/** Facets: the fields whose values are counted. */
export const facetNames = ['tier', 'namespace', 'category', 'status'] as const;
/** Number of versions per value, per facet. */
export type Facets = Readonly<Record<(typeof facetNames)[number], Readonly<Record<string, number>>>>;

const valueOf: Readonly<Record<(typeof facetNames)[number], (entry: Entry) => string>> = {
  tier: ({ reputation }) => reputation.tier,
  namespace: ({ listing }) => listing.namespace,
  category: ({ listing }) => listing.category,
  status: ({ listing }) => listing.status,
};

/** Keeps the entries that match a filter, in order. */
export function narrowed(entries: readonly Entry[], filter: Filter): readonly Entry[] {
  const words = wordsOf(filter.q ?? '');
  const rank = filter.min_tier === undefined ? 0 : tiers.indexOf(filter.min_tier);
  return entries.filter(
    (entry) =>
      facetNames.every((name) => filter[name] === undefined || valueOf[name](entry) === filter[name]) &&
      entry.reputation.tier_rank >= rank &&
      (words.length === 0 || holdsAll(entry, words)),
  );
}

/** Counts the values of each facet among the entries that match all other conditions of a filter. */
export function facetsOf(entries: readonly Entry[], filter: Filter): Facets {
  const counted = facetNames.map((name) => {
    const { [name]: _, ...others } = filter;
    const counts: Record<string, number> = {};
    for (const entry of narrowed(entries, others)) {
      const value = valueOf[name](entry);
      counts[value] = (counts[value] ?? 0) + 1;
    }
    return [name, Object.fromEntries(Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1)))];
  });
  // `counted` has one member per facet name; TypeScript cannot infer that.
  return Object.fromEntries(counted) as Facets;
}

/** Sorts entries that are in the default order as the query asks. */
export function sorted(
  entries: readonly Entry[],
  { sort, order }: Pick<ListQuery, 'sort' | 'order'>,
): readonly Entry[] {
  const direction = order ?? (sort === 'name' ? 'asc' : 'desc');
  if (sort === 'score') return direction === 'desc' ? entries : [...entries].sort(byScoreUpwards);
  const compared = comparisons[sort];
  const sign = direction === 'asc' ? 1 : -1;
  return [...entries].sort((one, other) => sign * compared(one, other) || byNameThenVersion(one, other));
}

type Comparison = (one: Entry, other: Entry) => number;

const comparisons: Readonly<Record<Exclude<ListQuery['sort'], 'score'>, Comparison>> = {
  name: (one, other) => byText(nameOf(one.listing), nameOf(other.listing)),
  updated: (one, other) => byText(one.listing.updated_at, other.listing.updated_at),
  published: (one, other) => byText(one.listing.published_at, other.listing.published_at),
  runs: (one, other) => one.reputation.usage.runs_30d - other.reputation.usage.runs_30d,
};

// Versions without a score come last in both directions, and suspended versions after them.
function byScoreUpwards(one: Entry, other: Entry): number {
  const [first, second] = [shownScore(one), shownScore(other)];
  if (first === null || second === null)
    return Number(one.reputation.suspended) - Number(other.reputation.suspended) || byScore(one, other);
  return first - second || byNameThenVersion(one, other);
}

function byText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function wordsOf(text: string): readonly string[] {
  return folded(text)
    .split(/\s+/)
    .filter((part) => part !== '');
}

function holdsAll({ listing }: Entry, words: readonly string[]): boolean {
  const { title, description, category, tags, orb_id } = listing;
  const text = folded([orb_id, title, description, category, ...tags].join('\n'));
  return words.every((part) => text.includes(part));
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
