import type { Attempt } from '../facts/facts.ts';
import type { Attested, Settled } from '../dispatch/run-record.ts';
import { runSettled, type RunSettled, type RuntimeHooks } from '../facts/hooks.ts';
import { listsModel } from './models.ts';
import { ofActiveKind } from './provider-views.ts';
import type { TracedRun } from '../facts/tracing.ts';
import type { Slot } from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { Metrics } from '../../../kernel/index.ts';
import type { Sample } from '../../../kernel/runner.ts';

/** Counts a run that has its receipt, and tells the listeners. */
export type Announce = (event: RunSettled, attempts: readonly Attempt[]) => void;

/** Creates the metrics of runs, and the function that announces a run. */
export function runMetrics(metrics: Metrics, hooks: Pick<RuntimeHooks, 'tell'>, bindings: Bindings): Announce {
  const runs = metrics.counter('orb_runs_total', 'Runs by status', ['orb_id', 'status', 'mode']);
  const calls = metrics.counter('orb_attempts_total', 'Attempts by provider, generation and outcome', [
    'orb_id',
    'provider',
    'generation',
    'outcome',
  ]);
  metrics.gauge('orb_leases', 'Runs that use a generation now', () => leases(bindings));
  metrics.collect('orb_provider_up', 'Health of providers: 1 up, 0.5 degraded or unknown, 0 down', 'gauge', () =>
    perProvider(bindings, ({ health }) => healthValues[health.health]),
  );
  metrics.collect('orb_breaker_open', 'Breakers: 1 open, 0.5 half-open, 0 closed', 'gauge', () =>
    perProvider(bindings, ({ health }) => breakerValues[health.breaker.state]),
  );
  const failovers = metrics.counter('orb_failovers_total', 'Runs that continued with another provider', [
    'orb_id',
    'from',
    'to',
  ]);
  return (event, attempts) => {
    const { orb_id, status, mode } = event;
    runs.inc({ orb_id, status, mode });
    let from: string | undefined;
    for (const { provider, generation, outcome } of attempts) {
      calls.inc({ orb_id, provider, generation, outcome });
      if (from !== undefined && from !== provider) failovers.inc({ orb_id, from, to: provider });
      from = provider;
    }
    hooks.tell(runSettled, event);
  };
}

/** Makes the event of a run that has its receipt. */
export function settledEvent(run: Attested): RunSettled {
  const { run_id, orb_id, orbiset_id, mode, execution_ms, traceparent, provider } = run;
  return {
    run_id,
    receipt_id: run.receipt.receipt_id,
    orb_id,
    orbiset_id,
    tenant: run.orbiset.tenant,
    status: run.ending.status,
    mode,
    execution_ms,
    usable: usableBy(run),
    traceparent,
    provider,
  };
}

/** Makes what a trace shows of a run that has its receipt. */
export function tracedRun(run: Attested, event: RunSettled): TracedRun {
  const { accepted_at, attempts, channel, ending, metered, order, trace, upstream, waited } = run;
  const last = attempts.at(-1)?.provider;
  const slot = metered?.model && order.find(({ provider }) => provider.name === last);
  return {
    ...{ event, accepted_at, channel, metered, upstream },
    attempts: waited === undefined ? attempts : [...waited.attempts, ...attempts],
    calls: Array.from(attempts, (_, place) => trace?.calls[place]),
    decided: trace?.decided,
    listed: slot !== undefined && listsModel(slot.provider, metered?.model?.asked ?? ''),
    code: ending.code,
  };
}

const verdicts: Readonly<Record<string, boolean>> = {
  provider_rejected: true,
  provider_failed: false,
  provider_unavailable: false,
  invalid_outputs: false,
  stream_interrupted: false,
  outcome_unknown: false,
  run_timed_out: false,
};
// The platform's own refusals, before any call: too many waited, a swap was under way, the store was away.
const ownPhases = new Set(['queue', 'drain', 'journal', 'lease']);

/**
 * Says whether the providers of an Orb worked for a run. Undefined when the run does not show it: it was denied, the
 * caller's own deadline ended it, it was not allowed to use all of them, it was a trial in the sandbox, or a provider
 * asked for a pause.
 */
export function usableBy(run: Settled): boolean | undefined {
  const { attempts, bound, caller_deadline, ending, mode, order } = run;
  if (mode === 'sandbox' && bound[0]?.provider.adapter.sandbox !== true) return undefined;
  if (ending.status === 'completed') return true;
  const verdict = verdicts[ending.code ?? ''];
  if (verdict !== false) return verdict;
  const whole = ofActiveKind(bound).every((slot) => order.includes(slot));
  const asked = attempts.some(({ phase }) => phase === undefined || !ownPhases.has(phase));
  return caller_deadline || !whole || !asked || ending.outcome === 'throttled' ? undefined : false;
}

function leases(bindings: Bindings): number {
  let sum = 0;
  for (const { order, draining } of bindings.all())
    for (const generation of [...order.map((slot) => slot.generation), ...draining]) sum += generation?.in_flight ?? 0;
  return sum;
}

const healthValues = { up: 1, degraded: 0.5, unknown: 0.5, down: 0 } as const;
const breakerValues = { open: 1, half_open: 0.5, closed: 0 } as const;

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
