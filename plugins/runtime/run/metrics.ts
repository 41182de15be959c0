import type { RuntimeHooks } from '../facts/hooks.ts';
import type { Slot } from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { Attempt } from '../facts/run.ts';
import type { RunSettled } from '../facts/hooks.ts';
import type { Metrics } from '../../../kernel/index.ts';
import type { Sample } from '../../../kernel/runner.ts';

/** Creates the metrics of runs; the returned function counts a run that has its receipt and notifies the listeners. */
export function runMetrics(
  metrics: Metrics,
  hooks: RuntimeHooks,
  bindings: Bindings,
): (event: RunSettled, attempts: readonly Attempt[]) => void {
  const runs = metrics.counter('orb_runs_total', 'Runs by status', ['orb_id', 'status', 'mode']);
  const calls = metrics.counter('orb_attempts_total', 'Attempts by provider, generation and outcome', [
    'orb_id',
    'provider',
    'generation',
    'outcome',
  ]);
  metrics.gauge('orb_leases', 'Runs that use a generation now', () => leases(bindings));
  metrics.collect('orb_provider_up', 'Health of providers: 1 up, 0.5 degraded or unknown, 0 down', 'gauge', () =>
    healthOf(bindings),
  );
  metrics.collect('orb_breaker_open', 'Breakers: 1 open, 0.5 half-open, 0 closed', 'gauge', () => breakers(bindings));
  const failovers = metrics.counter('orb_failovers_total', 'Runs that continued with another provider', [
    'orb_id',
    'from',
    'to',
  ]);
  return (event, attempts) => {
    const { orb_id, status, mode } = event;
    runs.inc({ orb_id, status, mode });
    for (const [index, { provider, generation, outcome }] of attempts.entries()) {
      calls.inc({ orb_id, provider, generation, outcome });
      const from = attempts[index - 1]?.provider;
      if (from !== undefined && from !== provider) failovers.inc({ orb_id, from, to: provider });
    }
    hooks.runSettled(event);
  };
}

function leases(bindings: Bindings): number {
  let sum = 0;
  for (const { order, draining } of bindings.all())
    for (const generation of [...order.map((slot) => slot.generation), ...draining]) sum += generation?.in_flight ?? 0;
  return sum;
}

const healthValues = { up: 1, degraded: 0.5, unknown: 0.5, down: 0 } as const;
const breakerValues = { open: 1, half_open: 0.5, closed: 0 } as const;

function healthOf(bindings: Bindings): readonly Sample[] {
  return perProvider(bindings, ({ health }) => healthValues[health.health]);
}

function breakers(bindings: Bindings): readonly Sample[] {
  return perProvider(bindings, ({ health }) => breakerValues[health.breaker]);
}

// Health belongs to one provider and configuration, whatever Orbs it serves.
function perProvider(bindings: Bindings, value: (slot: Slot) => number): readonly Sample[] {
  const slots = new Map([...bindings.all()].flatMap(({ order }) => order.map((slot) => [slot.provider.name, slot])));
  return [...slots].map(([provider, slot]) => ({ labels: { provider }, value: value(slot) }));
}

/** Counts swaps by result and measures their drains. */
export interface SwapMetrics {
  finished(result: 'completed' | 'failed', drainMs: number): void;
}

/** Creates the metrics of swaps. */
export function createSwapMetrics(metrics: Metrics): SwapMetrics {
  const swaps = metrics.counter('orb_swaps_total', 'Swaps by result', ['result']);
  const drains = metrics.histogram('orb_drain_seconds', 'Duration of the drain of old generations');
  return {
    finished(result, drainMs) {
      swaps.inc({ result });
      if (result === 'completed') drains.observe({}, drainMs / 1000);
    },
  };
}
