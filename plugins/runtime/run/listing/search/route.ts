import { ownSources } from './own.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { Bindings } from '../../../provider/bindings.ts';
import type { Named, SearchSource } from './source.ts';
import { defineRoute, exactly, given, holds, integer, optional, type Route } from '../../../../../kernel/index.ts';

export type { SearchSource };

/** What is found. */
export interface SearchOptions {
  readonly manifests: { readonly catalog: Catalog };
  /** What other plugins add. */
  readonly findable: readonly SearchSource[];
}

const text = { type: 'string' } as const;

/** Schema of what a search finds. */
export const searchResults = exactly('SearchResults', {
  results: {
    type: 'array',
    description: 'The best match first',
    items: exactly('SearchResult', {
      kind: {
        ...text,
        description: '`orb`, `orbiset`, `provider`, `policy`, `source`, `incident`, `key` or `principal`',
      },
      id: { ...text, description: 'Its id' },
      name: optional({ ...text, description: 'Its name or title, if it has one besides its id' }),
    }),
  },
});

/** Answers `GET /search`: the things whose ids or names have a text, as far as the key may read them. */
export const searchRoute = ({ manifests, findable }: SearchOptions, bindings: Pick<Bindings, 'all'>): Route =>
  defineRoute({
    method: 'GET',
    path: '/search',
    operationId: 'search',
    service: 'runtime',
    anyKey: true,
    summary: 'Find Orbs, Orbisets, providers, policies, sources, incidents, keys and callers by id or name',
    query: {
      type: 'object',
      properties: {
        q: {
          ...text,
          minLength: 1,
          maxLength: 200,
          description: 'A part of the id or name; upper and lower case are alike',
        },
        limit: integer(1, 50, 10, 'Maximum number of results'),
      },
      required: ['q'],
    },
    response: searchResults,
    async handle({ query: { q, limit }, principal }) {
      const wanted = q.trim().toLowerCase();
      // Plugins add theirs while they start.
      const all = [...ownSources(manifests.catalog, bindings), ...findable];
      const seen = all.filter(({ scope }) => holds(principal.scopes, scope));
      const found = await Promise.all(
        seen.map(async ({ kind, list }) => matches(wanted, await list(principal)).map((one) => ({ kind, ...one }))),
      );
      const best = found.flat().sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
      return { results: best.slice(0, limit).map(({ kind, id, name }) => given({ kind, id, name })) };
    },
  });

function matches(wanted: string, all: Iterable<Named>): readonly (Named & { readonly rank: number })[] {
  return [...all].flatMap(({ id, name }) => {
    const ranks = [id, name ?? ''].map((one) => rankOf(wanted, one.toLowerCase()));
    const rank = Math.min(...ranks);
    return rank === Infinity ? [] : [{ id, name, rank }];
  });
}

// The whole text, its beginning, the beginning of a word in it, any part of it.
function rankOf(wanted: string, found: string): number {
  const at = found.indexOf(wanted);
  if (at === -1) return Infinity;
  if (found.length === wanted.length) return 0;
  if (at === 0) return 1;
  return /[^a-z0-9]/.test(found[at - 1] ?? '') ? 2 : 3;
}
