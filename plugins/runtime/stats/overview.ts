import type { Bindings } from '../provider/bindings.ts';
import { newestReason } from '../outcome/provider-failure.ts';
import type { RunReads } from '../run/listing/list.ts';
import {
  holds,
  type Answered,
  type Principal,
  defineRoute,
  type Route,
  exactly,
  optional,
  given,
} from '../../../kernel/index.ts';
import type { MaybePromise } from '../../../kernel/runner.ts';

const mostShown = 5;
const mostCounted = 100;
const text = { type: 'string' } as const;

/** Schema of a kind of thing that needs attention. */
export const concern = exactly('Concern', {
  name: { ...text, description: 'Kind of problem' },
  count: { type: 'integer', minimum: 0, description: 'Number of items; 0: no problem' },
  more: optional({ type: 'boolean', description: 'There are more items than the count' }),
  link: { ...text, description: 'Route that lists them' },
  newest: {
    type: 'array',
    description: 'At most five',
    items: exactly({
      id: { ...text, description: 'Its id or name' },
      title: { ...text, description: 'Title' },
      reason: optional({ ...text, description: 'Why, and what to change, if known' }),
      at: optional({ ...text, format: 'date-time', description: 'When it started, happened or ends' }),
      link: optional({ ...text, description: 'Route that shows it' }),
    }),
  },
});

type Item = Answered<typeof concern>['newest'][number];

/** One thing that needs a person; its title is a few words: names, ids, or the title that somebody gave it. */
export type ConcernItem = Pick<Item, 'id' | 'title'> & {
  readonly [K in 'reason' | 'at' | 'link']?: string | undefined;
};

/** The findings of one concern: at most 100 are counted, the newest or most urgent first. */
export interface ConcernState extends Pick<Answered<typeof concern>, 'count' | 'more'> {
  readonly newest: readonly ConcernItem[];
}

/** A kind of thing that needs a person now, for `GET /overview`. */
export interface Concern {
  /** `open_incidents` */
  readonly name: string;
  /** The scope that a key needs to see it. */
  readonly scope: string;
  /** Route that lists them all. */
  readonly link: string;
  /** Finds them, with reads whose cost is bounded; `tenant`: of this one alone, undefined: of all. */
  readonly find: (tenant: string | undefined) => MaybePromise<ConcernState>;
}

/** Counts what a list or its first page holds. */
export function concernOf(found: readonly ConcernItem[], rest: { readonly next?: string } = {}): ConcernState {
  const more = found.length > mostCounted || rest.next !== undefined;
  return { count: Math.min(found.length, mostCounted), newest: found.slice(0, mostCounted), ...(more ? { more } : {}) };
}

/** Answers `GET /overview`: the items that need attention, as far as the key may read them. */
export const overviewRoute = (concerns: readonly Concern[]): Route =>
  defineRoute({
    method: 'GET',
    path: '/overview',
    operationId: 'getOverview',
    service: 'runtime',
    anyKey: true,
    summary: 'List what needs attention now, as far as the key can read it',
    response: exactly('Overview', {
      concerns: { type: 'array', description: 'The kinds that the key can read', items: concern },
    }),
    handle: async ({ principal }) => {
      const seen = concerns.filter(({ scope }) => holds(principal.scopes, scope));
      return { concerns: await Promise.all(seen.map((one) => shown(one, principal))) };
    },
  });

async function shown({ name, link, find }: Concern, { scopes, tenant }: Principal): Promise<object> {
  const { newest, ...found } = await find(scopes.includes('*') ? undefined : tenant);
  return { name, link, ...found, newest: newest.slice(0, mostShown).map(given) };
}

/** The concerns of the kernel: runs whose outcome is unknown, and providers that are down. */
export function runtimeConcerns(reads: Pick<RunReads, 'listRuns'>, bindings: Bindings): readonly Concern[] {
  return [
    {
      name: 'undecided_runs',
      scope: 'runs:read',
      link: '/runs?status=indeterminate',
      async find(tenant) {
        const filter = { tenant, status: 'indeterminate', orb_id: undefined, before: undefined, limit: mostCounted };
        const page = await reads.listRuns(filter);
        const items = page.items.map(({ run_id: id, orb_id, finished_at: at }) => ({
          ...{ id, title: orb_id, at, link: `/runs/${id}` },
        }));
        return concernOf(items, page);
      },
    },
    { name: 'providers_down', scope: 'providers:read', link: '/providers', find: () => concernOf(down(bindings)) },
  ];
}

function down(bindings: Bindings): readonly ConcernItem[] {
  const found = new Map<string, ConcernItem>();
  for (const { order } of bindings.all())
    for (const { provider, health } of order)
      if (health.health === 'down')
        found.set(provider.name, {
          id: provider.name,
          title: `${provider.name} (${provider.adapter.name})`,
          reason: newestReason(provider, health),
          link: `/providers?provider=${provider.name}`,
        });
  return [...found.values()];
}
