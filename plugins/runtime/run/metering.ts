import type { Attempt, RunFact } from '../facts/facts.ts';
import type { Billed, MeteredEnd, MeteredRun, MeterPort, Settlement } from '../facts/metering.ts';
import type { Run, Settled } from '../dispatch/run-record.ts';

/** What the intent of a metered run keeps, in addition to its fact, to end its reservation after a crash. */
export type MeteredIntent = Pick<MeteredRun, 'principal' | 'candidates'>;

/** Describes a metered run. */
export function meteredRun(run: Run): MeteredRun {
  const { run_id, orbiset_id, orb_id, mode, inputs, accepted_at: at } = run;
  const { candidates, principal } = meteredIntent(run);
  // The intent does not keep configurations, which may hold secrets.
  const configured = candidates.map((one, index) => ({ ...one, config: run.order[index]?.provider.config }));
  return { run_id, orbiset_id, orb_id, mode, inputs, at, principal, candidates: configured };
}

/** Says what the intent of a metered run keeps. */
export function meteredIntent({ principal: { id, key_id, tenant }, order }: Run): MeteredIntent {
  const candidates = order.map(({ provider: { name, adapter } }) => ({ provider: name, adapter: adapter.name }));
  return { principal: { id, key_id, tenant }, candidates };
}

/** Asks what the end of a run writes and adds to its receipt; undefined: it has no reservation. */
export async function settlementOf(run: Settled, meter: MeterPort | undefined): Promise<Settlement | undefined> {
  if (meter === undefined || !run.intended || run.orb.manifest.metered !== true) return undefined;
  const { ending, attempts, partial } = run;
  const whole = attempts.at(-1)?.outcome === 'accepted' ? run.outputs : undefined;
  // An adapter may have changed its own copy of the inputs.
  const metered = { ...meteredRun(run), inputs: objectOf(run.inputs_text) };
  return meter.settle(metered, { ...endOf({ ...ending, attempts, outputs: whole }), partial });
}

/** Asks the same of a run that a crash interrupted. */
export async function interruptedSettlement(
  fact: RunFact & { readonly metered?: MeteredIntent },
  meter: MeterPort | undefined,
): Promise<Settlement | undefined> {
  const { metered, run_id, orbiset_id, orb_id, mode, started_at, inputs, status, reason, outputs } = fact;
  if (meter === undefined || metered === undefined) return undefined;
  const run = { run_id, orbiset_id, orb_id, mode, inputs: objectOf(inputs), at: Date.parse(started_at), ...metered };
  const whole = status === 'completed' ? outputs : undefined;
  return meter.settle(run, endOf({ status, reason, attempts: fact.facts.attempts, outputs: whole }));
}

interface Ended extends Pick<MeteredEnd, 'status'> {
  readonly reason?: string | undefined;
  readonly attempts: readonly Attempt[];
  /** In canonical form. */
  readonly outputs: string | undefined;
}

function endOf({ status, reason, attempts, outputs }: Ended): MeteredEnd {
  const billed = attempts.map(billedOf);
  return {
    status,
    ...(reason === undefined ? {} : { reason }),
    provider: attempts.at(-1)?.provider,
    billed: billedBy(attempts),
    attempts: attempts.map(({ provider, outcome }, index) => ({ provider, outcome, billed: billed[index] ?? 'no' })),
    outputs: outputs === undefined ? undefined : objectOf(outputs),
  };
}

/** Says whether the attempts of a run are billed: unknown as soon as it is unknown of one. */
export function billedBy(attempts: readonly Attempt[]): Billed {
  const billed = attempts.map(billedOf);
  return billed.find((one) => one === 'unknown') ?? billed.find((one) => one === 'yes') ?? 'no';
}

function billedOf({ outcome, lookup }: Attempt): Billed {
  if (outcome === 'accepted') return 'yes';
  return (outcome === 'unknown' && lookup !== 'absent') || outcome === 'invalid_outputs' ? 'unknown' : 'no';
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
