import { ask, read, sentOf, type Sent } from './ask.ts';
import { OrbError } from './error.ts';
import { events } from './events.ts';
import { failureOf, fitsRun, ofProblem, settledAsDone, type Execution, type Plain } from './outcome.ts';
import { codeOf, persist, type Problem, type Settled } from './persist.ts';
import { complete } from './proof.ts';
import type { Completed, Json, Outcome, Queued, QueueOptions, WaitOptions } from './surface.ts';
import { limits } from './table.ts';
import { defined } from './verify/object.ts';
import { sleep, untilOf, type Scope, type Until } from './wire.ts';

// The server keeps an answer for 24 hours: later the same key would be a new call.
const askableMs = 20 * 3_600_000;

const methods = {
  orThrow(this: Outcome): Completed {
    if (this.kind === 'completed') return this;
    const about = 'code' in this && this.code !== undefined ? `: ${this.code}` : '';
    throw new OrbError(this.kind, `the call ended ${this.kind}${about}`, { outcome: this });
  },
};

/** Makes an outcome of its members: its methods are no members of it. `sent`: the call that it is of, where it is known. */
export function outcomeOf(scope: Scope, plain: Plain, sent?: Sent): Outcome {
  const isOpen = plain.kind === 'held' || plain.kind === 'unknown';
  const open = isOpen ? { settle: (wait?: WaitOptions) => settle(scope, plain.runId, sent, wait) } : {};
  // The cast is safe: each kind is made here, in outcome.ts or in proof.ts with the members of its type.
  return Object.assign(Object.create({ ...methods, ...open }) as object, defined(plain)) as unknown as Outcome;
}

/** Runs an Orb. */
export async function run(scope: Scope, orb: string, inputs: Json, options: QueueOptions = {}): Promise<Outcome> {
  return again(scope, sentOf(scope, orb, inputs, options), untilOf(scope, options));
}

/** Puts a run into the queue. */
export async function enqueue(
  scope: Scope,
  orb: string,
  inputs: Json,
  options: QueueOptions = {},
): Promise<Outcome | Queued> {
  const until = untilOf(scope, options);
  const sent = sentOf(scope, orb, inputs, options, 'respond-async');
  const settled = await ask(scope, sent, until);
  if (settled.status !== 202 || !fitsRun(settled)) return conclude(scope, sent, settled, until);
  const runId = String(settled.json?.['run_id']);
  return {
    ...{ kind: 'queued', key: sent.key, runId },
    result: (wait) => followRun(scope, runId, sent, wait),
    cancel: () => cancel(scope, runId),
    events: (more = {}) => events(scope, { ...more, runId }),
  };
}

// Sends a call, or sends it again: under its key it is one.
async function again(scope: Scope, sent: Sent, until: Until): Promise<Outcome> {
  return conclude(scope, sent, await ask(scope, sent, until), until);
}

async function conclude(scope: Scope, sent: Sent, settled: Settled, until: Until): Promise<Outcome> {
  const { body, key, manifest, orb: orbId } = sent;
  if (!settled.ok || !fitsRun(settled)) return outcomeOf(scope, failureOf(settled, key), sent);
  const { approval, opening, outputs, receipt, run_id: runId, status } = settled.json as object as Execution;
  if (settled.status === 202)
    return outcomeOf(scope, { kind: status === 'held' ? 'held' : 'unknown', key, runId, approval }, sent);
  const done = { key, runId, receipt, outputs, replayed: settled.headers.has('idempotent-replayed') };
  const expected = { orbId, manifest, inputs: body['inputs'] as Json, outputs, opening };
  return outcomeOf(scope, await complete(scope, done, expected, until), sent);
}

async function cancel(scope: Scope, runId: string): Promise<{ readonly cancelled: boolean; readonly code?: string }> {
  const path = `/runs/${encodeURIComponent(runId)}/cancel`;
  const heard = await persist(scope, { method: 'POST', path, repeatable: true, ...untilOf(scope) });
  return heard.ok ? { cancelled: true } : { cancelled: false, code: heard.broken ? 'unknown' : codeOf(heard) };
}

async function settle(scope: Scope, runId?: string, sent?: Sent, wait?: WaitOptions): Promise<Outcome> {
  if (runId !== undefined) return followRun(scope, runId, sent, wait);
  return sent !== undefined && isAskable(scope, sent)
    ? again(scope, sent, untilOf(scope, wait))
    : outcomeOf(scope, { kind: 'unknown', key: sent?.key ?? '' }, sent);
}

function isAskable({ time }: Scope, sent: Sent): boolean {
  return time.now() - sent.at < askableMs;
}

const waiting: ReadonlySet<string> = new Set(['held', 'queued', 'running']);

/** Waits until a run ends. */
export async function followRun(scope: Scope, runId: string, sent?: Sent, wait?: WaitOptions): Promise<Outcome> {
  const { now } = scope.time;
  const until = untilOf(scope, wait);
  let status = '';
  while (now() < until.end && until.signal?.aborted !== true) {
    // Two thirds of the time that is left: the answer must come before the end.
    const seconds = Math.min(limits.longest_wait_s, Math.floor((until.end - now()) / 1500));
    const heard = await read(scope, `/runs/${encodeURIComponent(runId)}`, until, { query: { wait: seconds } });
    if (heard.status !== 200 || heard.json === undefined) break;
    const state = heard.json as object as RunState;
    ({ status } = state);
    if (!waiting.has(status)) return ended(scope, state, sent, until);
    await sleep(scope, limits.first_ms, until);
  }
  return outcomeOf(scope, { kind: status === 'held' ? 'held' : 'unknown', key: sent?.key ?? '', runId }, sent);
}

interface RunState {
  readonly run_id: string;
  readonly status: string;
  readonly reason?: string;
  readonly receipt_id?: string;
  /** The receipt that settled an unknown outcome. */
  readonly resolution?: string;
  readonly problem?: Problem & { readonly status: number };
  readonly failure?: { readonly code?: string };
}

async function ended(scope: Scope, state: RunState, sent: Sent | undefined, until: Until): Promise<Outcome> {
  const { failure, problem, reason, receipt_id, resolution, run_id: runId, status } = state;
  const key = sent?.key ?? '';
  const receipt = receipt_id === undefined ? undefined : { receipt_id };
  if (status !== 'completed') {
    // The problem that was answered, or as much of it as the run still says.
    const code = status === 'indeterminate' ? 'outcome_unknown' : (failure?.code ?? reason ?? status);
    const reasons = reason === undefined ? [] : [{ code: reason }];
    const told = { receipt, code, reasons, ...problem, run_id: runId, run_status: status };
    return outcomeOf(scope, ofProblem(told, problem?.status ?? 0, key), sent);
  }
  const base = { kind: 'unverified', key, runId, receipt };
  if (resolution !== undefined) return outcomeOf(scope, { ...base, ...settledAsDone }, sent);
  // Only a completed run keeps its key: for others the same call would be a new one.
  if (sent !== undefined && isAskable(scope, sent)) {
    const outcome = await again(scope, { ...sent, prefer: undefined }, until);
    const isSame = 'runId' in outcome && outcome.runId === runId;
    return isSame ? outcome : outcomeOf(scope, { kind: 'unknown', key, runId }, sent);
  }
  const detail = 'the call that began it is needed to compare its inputs and outputs';
  return outcomeOf(scope, { ...base, check: 'opening', detail }, sent);
}
