import { historyOf } from './history.ts';
import type healthStore from './store.ts';
import { healths, type NotedMinute } from './store.ts';
import {
  defineRoute,
  exactly,
  optional,
  timestamp,
  type AwaitedReads,
  type PluginScope,
  type Route,
} from '../../../kernel/index.ts';

const hourMs = 3_600_000;
const steps = { hour: hourMs, day: 24 * hourMs } as const;
const counts = { hour: 24, day: 30 } as const;
const mostRead = 20_000;
const mostBefore = 500;
const mostChanges = 50;

const time = { type: 'string', format: 'date-time' } as const;
const health = { enum: healths } as const;
const text = { type: 'string' } as const;

const point = exactly('HealthPoint', {
  at: { ...time, description: 'Start of the step; of a change, when the worst of its minute began' },
  health: { ...health, description: 'The worst of the step or minute' },
  reason: optional({ ...text, description: 'Why' }),
  now: optional({ ...health, description: 'The last of the minute' }),
  node: optional({ ...text, description: 'Name of the node' }),
});

/** Schema of the history of health of a provider. */
export const providerHealth = exactly('ProviderHealth', {
  from: { ...time, description: 'Start of the first step' },
  to: { ...time, description: 'End of the last step' },
  step: { enum: ['hour', 'day'], description: 'Length of each step' },
  points: { type: 'array', description: 'Oldest first; none where nothing is known', items: point },
  changes: { type: 'array', description: 'Newest first, at most 50 minutes', items: point },
});

/** The dependencies of the route. */
interface HealthScope extends Pick<PluginScope<unknown, never>, 'clock' | 'store'> {
  readonly reads: AwaitedReads<ReturnType<typeof healthStore.read>>;
}

/** Answers `GET /providers/{name}/health`: how a provider was, and why. */
export const healthRoute = ({ clock, reads, store }: HealthScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/providers/{name}/health',
    operationId: 'getProviderHealth',
    service: 'runtime',
    scope: 'providers:read',
    summary: 'Show the health of a provider over time, with reasons',
    params: exactly({ name: { type: 'string', maxLength: 64, description: 'Name of the provider' } }),
    query: {
      type: 'object',
      properties: {
        step: { enum: ['hour', 'day'], description: 'Hours of the last day, the default, or days of the last 30' },
      },
    },
    response: providerHealth,
    handle: async ({ params: { name }, query: { step = 'hour' } }) => {
      const stepMs = steps[step];
      const to = Math.floor(clock.now() / stepMs + 1) * stepMs;
      const from = to - counts[step] * stepMs;
      const [noted, before, nodes] = await Promise.all([
        reads.between(name, from, to, mostRead),
        reads.before(name, from, mostBefore),
        store.peers.nodes(),
      ]);
      const serving = new Set(nodes.filter((node) => node.serving).map((node) => node.name));
      const points = historyOf({ from, to, stepMs, noted, before, serving });
      return {
        ...{ from: timestamp(from), to: timestamp(to), step },
        points: points.map(({ at, ...point }) => ({ at: timestamp(at), ...point })),
        changes: noted.slice(0, mostChanges).map(shownMinute),
      };
    },
  });

function shownMinute({ node, at, worst, health: last, reason }: NotedMinute) {
  const named = { at: timestamp(at), node, health: healths[worst] ?? 'unknown', now: healths[last] ?? 'unknown' };
  return reason === '' || worst <= healths.indexOf('up') ? named : { ...named, reason };
}
