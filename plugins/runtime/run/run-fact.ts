import journalStore from '../journal/store.ts';
import runtimeStore from '../store.ts';
import type { DispatchOptions } from '../dispatch/dispatch.ts';
import { ownerOf } from '../journal/owner.ts';
import { partsOf, type OrbParts } from './access-request.ts';
import type { Attested, Decided, Settled } from '../dispatch/run-record.ts';
import { isIntended } from '../catalog/orb.ts';
import type { Ending } from '../outcome/outcome.ts';
import type { MeterPort, Settlement } from '../facts/metering.ts';
import { meteredIntent, meteredRun, type MeteredIntent } from './metering.ts';
import { unansweredProviders, wasSent } from '../outcome/unanswered-attempts.ts';
import type { RunRow } from '../store.ts';
import type { AttestedRun, Channel, ExecutionResult, Opening, RunFact } from '../facts/facts.ts';
import {
  given,
  operation,
  perFrozen,
  PlatformError,
  timestamp,
  type Decision,
  type Fact,
  type Operation,
  type Store,
} from '../../../kernel/index.ts';
import type { StoredAnswer, Unverified } from '../journal/answer.ts';

type Summary = Omit<AttestedRun, 'signature_valid'>;

interface Ended {
  readonly firstUse: boolean;
  /** Of a metered run. */
  readonly settlement?: Settlement | undefined;
}

/**
 * Turns an ended run into its fact for the receipt, with the rows that commit with the receipt. `firstUse`: it is the
 * first run of its Orb in this process; `settlement`: what a metered run writes and adds.
 */
export function factOf(run: Settled, { firstUse, settlement }: Ended): Fact<RunFact, AttestedRun> {
  // Nothing is added to a run that completed.
  const told = run.ending.code === undefined ? runFact(run) : withFailure(runFact(run), run.ending);
  const fact = settlement === undefined ? told : withMetering(told, settlement);
  const { record } = run.decision;
  const { run_id, orb } = run;
  return {
    fact,
    operations(receiptId, summary) {
      const operations: Operation[] = [operation(runtimeStore, 'insertRun', runRow(fact, receiptId))];
      if (firstUse) operations.push(operation(runtimeStore, 'useManifest', { orb_id: orb.orb_id, digest: orb.digest }));
      if (record !== undefined) operations.push(record({ run_id, receipt_id: receiptId }));
      addEnd(operations, run, summary);
      if (settlement !== undefined) operations.push(...settlement.operations);
      return operations;
    },
  };
}

// The intents end with the receipt, and the answer of the caller's key is stored with it, unless nothing was sent.
function addEnd(operations: Operation[], run: Settled, summary: Summary | undefined): void {
  const { claim, intended, attempts, run_id } = run;
  if (intended) operations.push(operation(journalStore, 'closeRun', { run_id }));
  if (claim === undefined) return;
  const ended = claim.ended?.();
  if (ended !== undefined) operations.push(...ended);
  if (summary === undefined) return;
  const sent = wasSent(attempts);
  const { opening, ...receipt } = summary;
  const isAnswer = sent || ended !== undefined;
  operations.push(...(isAnswer ? claim.finished(answerOf(run, receipt, opening), sent) : claim.freed()));
}

const failing: ReadonlySet<string> = new Set<RunFact['status']>(['failed', 'timed_out', 'indeterminate']);

/** Adds to the fact of a run that failed why it did, so that the reason is kept. */
export function withFailure(
  fact: RunFact,
  { code, detail, provider_reason }: Pick<Ending, 'code' | 'detail' | 'provider_reason'>,
): RunFact {
  if (code === undefined || detail === undefined || !failing.has(fact.status)) return fact;
  return { ...fact, failure: { code, message: detail, ...given({ provider_reason }) } };
}

/** Adds to the fact of a metered run what it used and cost. */
export function withMetering(fact: RunFact, { facts }: Settlement): RunFact {
  return { ...fact, facts: { ...fact.facts, ...facts } };
}

/** Turns an attested run into its row for lists. */
export function runRow(fact: RunFact, receipt_id: string): RunRow {
  return {
    run_id: fact.run_id,
    tenant: fact.tenant,
    orbiset_id: fact.orbiset_id,
    orb_id: fact.orb_id,
    principal: fact.facts.principal,
    key_id: fact.key_id ?? null,
    status: fact.status,
    reason: fact.reason ?? null,
    mode: fact.mode,
    provider: fact.facts.provider?.name ?? null,
    started_at: fact.started_at,
    finished_at: fact.finished_at,
    execution_ms: fact.execution_ms,
    receipt_id,
    resolution: null,
    silent: fact.status === 'indeterminate' ? JSON.stringify(unansweredProviders(fact.facts.attempts)) : null,
  };
}

/** Makes the fact of a run if the process dies during the attempt that begins now: dispatched, and not answered. */
export function interruptedFact(run: Decided, rest: Pick<Settled, 'attempts' | 'provider'>): InterruptedFact {
  const { effect, metered } = run.orb.manifest;
  // Without an effect only the bill is unknown.
  const onlyBilled = effect === 'none' && metered === true;
  const fact = runFact({
    ...run,
    ...rest,
    ending: { status: onlyBilled ? 'failed' : 'indeterminate', outcome: 'unknown', reason: 'interrupted' },
    outputs_checked: 'unchecked',
    intended: true,
    caller_deadline: false,
    finished_at: run.accepted_at,
    execution_ms: 0,
  });
  return metered === true ? { ...fact, metered: meteredIntent(run) } : fact;
}

/** The fact of a run that was interrupted. */
export interface InterruptedFact extends RunFact {
  /** Of a metered run; no part of its receipt. */
  readonly metered?: MeteredIntent;
}

/** Makes the fact of a run that waits; its end is added when it is known. */
export function waitingFact(run: Decided): RunFact {
  const none = { outputs_checked: 'unchecked', intended: false, caller_deadline: false, execution_ms: 0 } as const;
  const ending: Ending = { status: 'cancelled', outcome: 'cancelled' };
  return runFact({ ...run, ...none, attempts: [], ending, finished_at: run.accepted_at });
}

type Open<T> = { -readonly [K in keyof T]: T[K] };

function goesAhead({ attempts, ending: { status } }: Settled): boolean {
  return attempts.length > 0 || (status !== 'denied' && status !== 'cancelled');
}

function runFact(run: Settled): RunFact {
  const { orb, orbiset, ending, standing, waited } = run;
  const parts = partsOf(orb, standing);
  // Members that few runs have are added to it: spreads of nothing are slow.
  const facts: Open<Facts> = {
    action: actionOf(run, parts),
    orb: parts.orb,
    principal: run.principal.id,
    schema: schemas[orb.inputs.absent ? 'absent' : 'valid'][run.outputs_checked],
    attempts: attemptsOf(run),
    data: parts.data,
    outcome: ending.outcome,
  };
  if (run.provider !== undefined) facts.provider = run.provider;
  const approval = goesAhead(run) ? run.answered?.under : run.answered?.named;
  if (approval !== undefined) facts.approval = approval;
  if (parts.latency !== undefined) facts.latency = parts.latency;
  if (run.channel !== undefined) facts.channel = channelOf(run.channel);
  if (run.upstream !== undefined) facts.upstream = run.upstream;
  const fact: Open<RunFact> = {
    kind: 'run',
    tenant: orbiset.tenant,
    key_id: run.principal.key_id,
    run_id: run.run_id,
    orbiset_id: orbiset.id,
    orb_id: orb.orb_id,
    mode: run.mode,
    started_at: timestamp(run.accepted_at),
    finished_at: timestamp(run.finished_at),
    execution_ms: run.execution_ms,
    status: ending.status,
    facts,
    decision: run.decision,
    inputs: run.inputs_text,
    standing,
    retention_days: { inputs: orbiset.retention_days?.inputs ?? 0, outputs: orbiset.retention_days?.outputs ?? 0 },
  };
  if (ending.reason !== undefined) fact.reason = ending.reason;
  if (waited?.approval !== undefined) fact.inputs_salt = waited.approval.salt;
  // Of a run that was cancelled the caller has no outputs.
  if (run.outputs !== undefined && ending.status !== 'cancelled') fact.outputs = run.outputs;
  if (run.disclose === true) fact.disclose = true;
  if (run.callback !== undefined) fact.callback = run.callback;
  return fact;
}

// Of a run that waited: those of its turns before, as many as a receipt holds.
function attemptsOf({ attempts, waited }: Settled): RunFact['facts']['attempts'] {
  if (waited === undefined || waited.attempts.length === 0) return attempts;
  return [...waited.attempts, ...attempts].slice(-mostAttempts);
}

/** Attempts of one run that its receipt shows at most. */
export const mostAttempts = 20;

// Leave out the name of the tool: the Orb already contains it.
const channelOf = perFrozen(({ kind, protocol, client }: Channel): NonNullable<Facts['channel']> => {
  return Object.freeze({ kind, ...given({ protocol, client }) });
});

type Facts = RunFact['facts'];

function actionOf({ delivery, caller_deadline }: Settled, { action }: OrbParts): Facts['action'] {
  if (delivery !== 'at_least_once' && !caller_deadline) return action;
  return {
    ...action,
    ...(delivery === 'at_least_once' ? { delivery } : {}),
    ...(caller_deadline ? { caller_deadline } : {}),
  };
}

const schemas = { valid: schemasOf('valid'), absent: schemasOf('absent') };

function schemasOf(inputs: Facts['schema']['inputs']): Readonly<Record<Facts['schema']['outputs'], Facts['schema']>> {
  const schema = (outputs: Facts['schema']['outputs']): Facts['schema'] => Object.freeze({ inputs, outputs });
  return {
    valid: schema('valid'),
    invalid: schema('invalid'),
    absent: schema('absent'),
    unchecked: schema('unchecked'),
  };
}

/**
 * Makes the writer of intents: each is durable before its call begins, the first one with the claim of the caller's key.
 * A run without effect that is not metered has no intent; where others share the store, its key is claimed alone. What a
 * meter reserves commits with the first intent.
 */
export function intends(store: Store, meter?: MeterPort): DispatchOptions['intend'] {
  const owner = ownerOf(store);
  return async (run, { again, attempts, provider }) => {
    const { run_id, orb, claim } = run;
    if (!isIntended(orb.manifest)) {
      if (!again) await claim?.take();
      return;
    }
    const fact = JSON.stringify(interruptedFact(run, { attempts, provider }));
    if (again) {
      await store.write([operation(journalStore, 'renewIntent', { run_id, fact })]);
      return;
    }
    const metered = orb.manifest.metered === true && meter !== undefined;
    const beside = metered ? await meter.reserve(meteredRun(run)) : [];
    // Attempts that called no provider have no intent, so the first intent may not belong to the first attempt.
    if (claim !== undefined) await claim.take({ run_id, fact, ...owner }, beside);
    else await store.write([operation(journalStore, 'intend', { run_id, fact, ...owner }), ...beside]);
  };
}

/** Presents a run that has its receipt: returns its result, or throws its problem. */
export function present(run: Attested): ExecutionResult {
  const answer = answerOf(run, run.receipt, run.opening);
  // The body of a completed run is made by answerOf, with the whole receipt.
  if ('body' in answer) return answer.body as ExecutionResult;
  throw new PlatformError(answer.code, answer.detail, answer.extensions);
}

/** Makes the answer to a run that has ended, as it is kept under its key. */
export function answerOf(
  run: Pick<Settled, 'run_id' | 'ending' | 'execution_ms' | 'outputs'> & { readonly decision: Decision },
  receipt: Unverified,
  opening: Opening | undefined,
): StoredAnswer {
  const { run_id, ending, execution_ms, decision } = run;
  const { code, detail = '', phase, provider_reason, retry_after } = ending;
  if (code === undefined) {
    // The outputs that the receipt commits to; the adapter may have changed its own copy since.
    const outputs: unknown = JSON.parse(run.outputs ?? '{}');
    const body = { run_id, status: 'completed', outputs, receipt, execution_ms };
    return { body: opening === undefined ? body : { ...body, opening } };
  }
  const { decision_id, reasons = [] } = decision;
  const denial = decision.allow ? {} : { decision_id, reasons };
  const why = { phase, provider_reason, ...denial, retry_after };
  const extensions = given({ run_id, run_status: ending.status, receipt, opening, ...why });
  return { code, detail, extensions };
}
