import type { Binding, Slot } from './binding.ts';
import { failureSchemas, shownFailures } from '../outcome/provider-failure.ts';
import { origin, originOf } from './stored.ts';
import { shownSwap } from '../tables/swap-record.ts';
import { exactly, given, optional, timestamp } from '../../../kernel/index.ts';
import type { Generation } from './generation.ts';

const time = { type: 'string', format: 'date-time' } as const;

/** Schema of the provider status of an Orb; `last_swap` is added by the route. */
export const providerStatus = exactly('ProviderStatus', {
  orb_id: { type: 'string', description: 'Id of the Orb' },
  active_provider: optional({ type: 'string', description: 'Name of the bound provider; absent: none' }),
  generation: { type: 'integer', description: 'Number of the bound generation; 0: none is open' },
  source: { enum: ['config', 'swap'], description: 'Why it is bound: first in the configured order, or a swap' },
  swap_status: { enum: ['stable', 'swapping', 'draining'], description: 'Whether a swap is in progress' },
  nodes: optional({
    type: 'array',
    description: 'With several nodes: each node, by name. Data of other nodes can be a second old',
    items: exactly({
      node: { type: 'string', description: 'Name of the node' },
      generation: { type: 'integer', description: 'Number of the generation that is bound there' },
      in_flight: { type: 'integer', description: 'Its runs that use a provider of the Orb now' },
    }),
  }),
  providers: {
    type: 'array',
    description: 'In the order in which the server tries them',
    items: exactly('BoundProvider', {
      name: { type: 'string', description: 'Name of the provider' },
      adapter: { type: 'string', description: 'Name of the adapter' },
      origin,
      role: { enum: ['active', 'standby', 'draining'], description: 'Its role now' },
      health: { enum: ['up', 'degraded', 'down', 'unknown'], description: 'Measured health' },
      breaker: {
        enum: ['closed', 'open', 'half_open'],
        description: 'Circuit breaker; open: the provider is not called for a while',
      },
      breaker_since: optional({ ...time, description: 'When it opened' }),
      generation: { type: 'integer', description: 'Number of the opening of a provider for the Orb' },
      in_flight: { type: 'integer', description: 'Runs that use it now, on all nodes' },
      oldest_ms: { type: 'integer', description: 'How long the oldest run has used it' },
      error_rate: { type: 'number', minimum: 0, maximum: 1, description: 'Of the last 5 minutes' },
      p95_ms: { type: 'integer', description: '95th percentile of its latency, milliseconds' },
      ...failureSchemas,
    }),
  },
});

/**
 * Shows which provider serves an Orb now, those that stand by, and those that still finish runs; `elsewhere`: what other
 * nodes use.
 */
export function statusOf(binding: Binding, elsewhere: readonly Pick<Slot, 'provider' | 'health'>[] = []) {
  const { orb, order, draining, swap, last_swap, source } = binding;
  const [active] = order;
  // Draining generations are listed apart from standbys, even where both share one opening.
  const slots = order.map((slot) => rowOf(slot, slot.generation, slot === active ? 'active' : 'standby'));
  const leaving = [...draining].map((held) =>
    rowOf({ provider: held.provider, health: held.transport.health }, held, 'draining'),
  );
  const own = new Set([...slots, ...leaving].map(({ name }) => name));
  const others = elsewhere.filter(({ provider }) => !own.has(provider.name));
  return {
    orb_id: orb.orb_id,
    ...given({ active_provider: active?.provider.name }),
    generation: active?.generation?.number ?? 0,
    source,
    swap_status: swap !== undefined ? 'swapping' : draining.size > 0 ? 'draining' : 'stable',
    ...given({ last_swap: last_swap && shownSwap(last_swap) }),
    providers: [...slots, ...leaving, ...others.map((slot) => rowOf(slot, undefined, 'draining'))],
  };
}

const sinceOf = ({ since }: Slot['health']['breaker']) =>
  since === undefined ? {} : { breaker_since: timestamp(since) };

function rowOf(
  { provider, health }: Pick<Slot, 'provider' | 'health'>,
  generation: Generation | undefined,
  role: string,
) {
  return {
    name: provider.name,
    adapter: provider.adapter.name,
    origin: originOf(provider),
    role,
    health: health.health,
    breaker: health.breaker.state,
    ...sinceOf(health.breaker),
    generation: generation?.number ?? 0,
    in_flight: generation?.in_flight ?? 0,
    oldest_ms: generation?.oldest_ms ?? 0,
    error_rate: health.errorRate(),
    p95_ms: health.p95(),
    ...shownFailures(provider, health),
  };
}
