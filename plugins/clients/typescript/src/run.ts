import { ask, read, sentOf, untilOf, type Scope, type Sent, type Until } from './ask.ts';
import { failureOf, fitsRun, ofProblem, outcomeOf, settledAsDone, type Execution, type Plain } from './outcome.ts';
import { sleep, type Problem, type Settled } from './persist.ts';
import { complete } from './proof.ts';
import type { Json, Outcome, Queued, QueueOptions, WaitOptions } from './surface.ts';
import { limits } from './table.ts';

// The server keeps an answer for 24 hours: later the same key would be a new call.
const askableMs = 20 * 3_600_000;

/** Runs an Orb. */
export async function run(scope: Scope, orb: string, inputs: Json, options: QueueOptions): Promise<Outcome> {
  return again(scope, sentOf(scope, orb, inputs, options), untilOf(scope, options));
}

/** Puts a run into the queue. */
export async function enqueue(
  scope: Scope,
  { orb, inputs, options }: { readonly orb: string; readonly inputs: Json; readonly options: QueueOptions },
  follow: (runId: string) => Pick<Queued, 'cancel' | 'events'>,
): Promise<Outcome | Queued> {
  const until = untilOf(scope, options);
  const sent = { ...sentOf(scope, orb, inputs, options), prefer: 'respond-async' };
  const settled = await ask(scope, sent, until);
  const { heard } = settled;
  if (heard.kind !== 'answered' || heard.status !== 202 || !fitsRun(heard))
    return conclude(scope, sent, settled, until);
  const { run_id: runId } = heard.json as Execution;
  const result = (wait?: WaitOptions): Promise<Outcome> => followRun(scope, { runId, sent }, wait);
  return { kind: 'queued', key: sent.key, runId, result, ...follow(runId) };
}

// Sends a call, or sends it again: under its key it is one.
async function again(scope: Scope, sent: Sent, until: Until): Promise<Outcome> {
  return conclude(scope, sent, await ask(scope, sent, until), until);
}

async function conclude(scope: Scope, sent: Sent, settled: Settled, until: Until): Promise<Outcome> {
  return outcomeOf(await plainOf(scope, sent, settled, until), (runId, wait) => settle(scope, { runId, sent }, wait));
}

async function plainOf(scope: Scope, sent: Sent, settled: Settled, until: Until): Promise<Plain> {
  const { heard } = settled;
  const { body, key, manifest, orb: orbId } = sent;
  if (heard.kind !== 'answered' || heard.status >= 300 || !fitsRun(heard)) return failureOf(settled, key);
  const { approval, opening, outputs, receipt, run_id: runId, status } = heard.json as Execution;
  if (heard.status === 202) return { kind: status === 'held' ? 'held' : 'unknown', key, runId, approval };
  const done = { key, runId, receipt, outputs, replayed: heard.headers.has('idempotent-replayed') };
  const inputs = body['inputs'] as Json;
  return complete(scope, done, { orbId, manifest, inputs, outputs, opening }, until);
}

/** A run whose end is awaited; `sent`: the call that began it, where it is known. */
interface Followed {
  readonly runId?: string | undefined;
  readonly sent?: Sent | undefined;
}

async function settle(scope: Scope, { runId, sent }: Followed, wait: WaitOptions = {}): Promise<Outcome> {
  if (runId !== undefined) return followRun(scope, { runId, sent }, wait);
  if (sent === undefined || scope.wire.time.now() - sent.at > askableMs) return open(scope, { sent });
  return again(scope, sent, untilOf(scope, wait));
}

function open(scope: Scope, { runId, sent }: Followed, kind: 'held' | 'unknown' = 'unknown'): Outcome {
  return outcomeOf({ kind, key: sent?.key ?? '', runId }, (id, wait) => settle(scope, { runId: id, sent }, wait));
}

const waiting: ReadonlySet<string> = new Set(['held', 'queued', 'running']);

/** Waits until a run ends. */
export async function followRun(
  scope: Scope,
  followed: Followed & { readonly runId: string },
  wait: WaitOptions = {},
): Promise<Outcome> {
  const { now } = scope.wire.time;
  const until = untilOf(scope, wait);
  const path = `/runs/${encodeURIComponent(followed.runId)}`;
  let status = '';
  while (now() < until.end && until.signal?.aborted !== true) {
    // Two thirds of the time that is left: the answer must come before the end.
    const seconds = Math.min(limits.longest_wait_s, Math.floor((until.end - now()) / 1500));
    const { heard } = await read(scope, path, until, { wait: seconds });
    const state = heard.kind === 'answered' && heard.status === 200 ? (heard.json as RunState | undefined) : undefined;
    if (state === undefined) break;
    ({ status } = state);
    if (!waiting.has(status)) return ended(scope, { state, sent: followed.sent }, until);
    await sleep(scope.wire, limits.first_ms, until.signal);
  }
  return open(scope, followed, status === 'held' ? 'held' : 'unknown');
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

async function ended(
  scope: Scope,
  { state, sent }: { readonly state: RunState; readonly sent: Sent | undefined },
  until: Until,
): Promise<Outcome> {
  const { problem, receipt_id, resolution, run_id: runId, status } = state;
  const key = sent?.key ?? '';
  const receipt = receipt_id === undefined ? undefined : { receipt_id };
  const made = (plain: Plain): Outcome => outcomeOf(plain, (_, wait) => followRun(scope, { runId, sent }, wait));
  if (status !== 'completed')
    return made(ofProblem({ receipt, ...problemIn(state) }, problem?.status ?? 0, { key, doubt: false }));
  if (resolution !== undefined) return made({ kind: 'unverified', key, runId, ...settledAsDone, receipt });
  // Only a completed run keeps its key: for others the same call would be a new one.
  if (sent !== undefined && scope.wire.time.now() - sent.at < askableMs) {
    const { prefer: _, ...first } = sent;
    const outcome = await again(scope, first, until);
    return 'runId' in outcome && outcome.runId === runId ? outcome : open(scope, { runId, sent });
  }
  const detail = 'the call that began it is needed to compare its inputs and outputs';
  return made({ kind: 'unverified', key, runId, check: 'opening', detail, receipt });
}

// The problem of a run that was answered, or as much of it as the run still says.
function problemIn({ failure, problem, reason, run_id, status: run_status }: RunState): Problem {
  const code = run_status === 'indeterminate' ? 'outcome_unknown' : (failure?.code ?? reason ?? run_status);
  const reasons = reason === undefined ? [] : [{ code: reason }];
  return { code, reasons, ...problem, run_id, run_status };
}
