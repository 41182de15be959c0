import type { Hooks } from '../hooks.ts';
import type { Metrics } from '../metrics.ts';
import type { Bindings } from './bindings.ts';
import type { Attempt, RunSettled } from './run.ts';

/** Creates the metrics of runs; the answer counts one that has its receipt and tells the listeners. */
export function runMetrics(
  metrics: Metrics,
  hooks: Hooks,
  bindings: Bindings,
): (event: RunSettled, attempts: readonly Attempt[]) => void {
  const runs = metrics.counter('orb_runs_total', 'Runs by status', ['orb_id', 'status', 'mode']);
  const calls = metrics.counter('orb_attempts_total', 'Attempts by provider, generation and outcome', [
    'orb_id',
    'provider',
    'generation',
    'outcome',
  ]);
  metrics.gauge('orb_leases', 'Runs that hold a generation now', () => leases(bindings));
  return (event, attempts) => {
    const { orb_id, status, mode } = event;
    runs.inc({ orb_id, status, mode });
    for (const { provider, generation, outcome } of attempts) calls.inc({ orb_id, provider, generation, outcome });
    hooks.runSettled(event);
  };
}

function leases(bindings: Bindings): number {
  let sum = 0;
  for (const { order, draining } of bindings.all())
    for (const generation of [...order.map((slot) => slot.generation), ...draining]) sum += generation?.in_flight ?? 0;
  return sum;
}
