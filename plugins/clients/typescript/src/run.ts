import { ask, read, sentOf, untilOf, type Scope, type Sent, type Until } from './ask.ts';
import { failureOf, fitsRun, ofProblem, outcomeOf, type Execution, type Plain } from './outcome.ts';
import { sleep, type Problem, type Settled } from './persist.ts';
import { complete } from './proof.ts';
import type { Json, Outcome, Queued, QueueOptions, WaitOptions } from './surface.ts';
import { limits } from './table.ts';

// The server keeps an answer for 24 hours: later the same key would be a new call.
const askableMs = 20 * 3_600_000;

/** Runs an Orb. */
export async function run(scope: Scope, orb: string, inputs: Json, options: QueueOptions): Promise<Outcome> {
  const until = untilOf(scope, options);
  const sent = sentOf(scope, orb, inputs, options);
  return conclude(scope, sent, await ask(scope, sent, until), until);
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

async function conclude(scope: Scope, sent: Sent, settled: Settled, until: Until): Promise<Outcome> {
  return outcomeOf(await plainOf(scope, sent, settled, until), (runId, wait) => settle(scope, sent, runId, wait));
}

async function plainOf(scope: Scope, sent: Sent, settled: Settled, until: Until): Promise<Plain> {
  const { heard } = settled;
  const { key } = sent;
  if (heard.kind !== 'answered' || heard.status >= 300 || !fitsRun(heard)) return failureOf(settled, key);
  if (heard.status !== 202) return complete(scope, sent, heard, until);
  const { approval, run_id: runId, status } = heard.json as Execution & { approval?: Json; status: string };
  return { kind: status === 'held' ? 'held' : 'unknown', key, runId, approval };
}

async function settle(scope: Scope, sent: Sent, runId?: string, wait: WaitOptions = {}): Promise<Outcome> {
  if (runId !== undefined) return followRun(scope, { runId, sent }, wait);
  if (scope.wire.time.now() - sent.at > askableMs) return open(scope, { sent });
  const until = untilOf(scope, wait);
  return conclude(scope, sent, await ask(scope, sent, until), until);
}

/** A run whose end is awaited; `sent`: the call that began it, where it is known. */
interface Followed {
  readonly runId?: string;
  readonly sent?: Sent | undefined;
}

function open(scope: Scope, { runId, sent }: Followed, kind: 'held' | 'unknown' = 'unknown'): Outcome {
  const again = (id?: string, wait?: WaitOptions): Promise<Outcome> =>
    sent === undefined ? followRun(scope, { runId: id ?? '' }, wait) : settle(scope, sent, id, wait);
  return outcomeOf({ kind, key: sent?.key ?? '', runId }, again);
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
  const { problem, run_id: runId, status } = state;
  const key = sent?.key ?? '';
  const made = (plain: Plain): Outcome => outcomeOf(plain, (_, wait) => followRun(scope, { runId, sent }, wait));
  if (status !== 'completed') return made(ofProblem(problemIn(state), problem?.status ?? 0, { key, doubt: false }));
  // Only a completed run keeps its key: for others the same call would be a new one.
  if (state.resolution === undefined && sent !== undefined && scope.wire.time.now() - sent.at < askableMs) {
    const { prefer: _, ...again } = sent;
    const outcome = await conclude(scope, again, await ask(scope, again, until), until);
    return 'runId' in outcome && outcome.runId === runId ? outcome : open(scope, { runId, sent });
  }
  const [check, detail] =
    state.resolution === undefined
      ? ['opening', 'the call that began it is needed to compare its inputs and outputs']
      : ['outputs', 'it was settled as done; its outputs are unknown'];
  return made({ kind: 'unverified', key, runId, check, detail, receipt: receiptOf(state) });
}

// The problem of a run that was answered, or as much of it as the run still says.
function problemIn(state: RunState): Problem {
  const { failure, problem, reason, run_id, status: run_status } = state;
  const code = run_status === 'indeterminate' ? 'outcome_unknown' : (failure?.code ?? reason ?? run_status);
  const reasons = reason === undefined ? [] : [{ code: reason }];
  return { code, reasons, receipt: receiptOf(state), ...problem, run_id, run_status };
}

function receiptOf({ receipt_id }: RunState): object | undefined {
  return receipt_id === undefined ? undefined : { receipt_id };
}
