import type { Binding, Slot } from '../provider/binding.ts';
import type { Settled } from '../dispatch/run-record.ts';

/** An Orb with a binding, and whether one of its providers can be called now, as far as measured. */
export interface OrbView {
  readonly orb_id: string;
  readonly usable: boolean;
}

/** Lists the Orbs with a binding. A standby of another kind (live, sandbox) than the active provider helps no run. */
export function orbViews(bindings: Iterable<Binding>): readonly OrbView[] {
  const views: OrbView[] = [];
  for (const { orb, order } of bindings)
    if (order.length > 0) views.push({ orb_id: orb.orb_id, usable: ofActiveKind(order).some(isUsable) });
  return views;
}

function ofActiveKind(order: readonly Slot[]): readonly Slot[] {
  return order.filter(({ provider }) => provider.adapter.sandbox === order[0]?.provider.adapter.sandbox);
}

function isUsable({ generation, health }: Slot): boolean {
  return generation !== undefined && health.measured !== 'down' && health.breaker === 'closed';
}

const verdicts: Readonly<Record<string, boolean>> = {
  provider_rejected: true,
  provider_failed: false,
  provider_unavailable: false,
  invalid_outputs: false,
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
