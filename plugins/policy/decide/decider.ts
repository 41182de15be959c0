import type { AccessRequest, Clock, Log, Metrics } from '../../../kernel/index.ts';
import type { ApprovalGroups } from '../../approvals/contract.ts';
import type { Breaker } from '../evaluator/breaker.ts';
import { createCache, type DecisionCache } from '../evaluator/cache.ts';
import type { Pool } from '../evaluator/pool.ts';
import { faultOf, type PoolAnswer } from '../evaluator/question.ts';
import { withApprovals, denial, readResult, verdictOf, type DenialCode, type Verdict } from '../evaluator/result.ts';
import type { Compiled } from '../revisions/revision.ts';
import type { ReadPaths } from '../contract.ts';

/** A revision that decides. */
export interface Active {
  readonly digest: string;
  readonly policies: Compiled['policies'];
  readonly cache: DecisionCache;
  /** The actions whose policies may look at the inputs of a run, or at what was parsed of them. */
  readonly readingInputs: ReadonlySet<string>;
  /** An earlier version compiled it, and ignored its asks: it must be compiled again. */
  readonly outdated: boolean;
  /** Evaluations under way, by the key of the question. */
  readonly pending: Map<string, Promise<Evaluated>>;
}

/** A decision with the details that its row in the decision log records. */
export interface Decided {
  readonly verdict: Verdict;
  readonly cached: boolean;
  readonly duration_us: number;
  readonly entrypoint: string;
}

/** Answers questions with the active revision. */
export type Decider = ReturnType<typeof createDecider>;

/** Dependencies and settings of a decider. */
interface DeciderOptions {
  readonly pool: Pool;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly tally: Tally;
  readonly log: Log;
  /** Reuses the verdict of an equal question; false: every question is evaluated. */
  readonly caching: boolean;
  /** The groups that a policy may ask; absent: there is nobody to ask. */
  readonly groups?: ApprovalGroups | undefined;
}

/** Prepares a compiled revision for use by a decider, with an empty cache. */
export function activeOf(digest: string, { policies, entrypoints }: Compiled, outdated = false): Active {
  const reading = Object.entries(entrypoints).filter(([, read]) => readsInputs(read));
  const readingInputs = new Set(reading.map(([action]) => action));
  return { digest, policies, outdated, readingInputs, cache: createCache(entrypoints), pending: new Map() };
}

function readsInputs({ all, paths }: ReadPaths): boolean {
  const reads = ([first, second = 'inputs']: ReadPaths['paths'][number]): boolean =>
    first === undefined || first === null || (first === 'context' && heavy.has(second));
  return all || paths.some(reads);
}

// Null in a path is every member.
const heavy: ReadonlySet<string | null> = new Set(['inputs', 'parsed', null]);

/** Creates a decider. Order: schema → cache → breaker → queue → thread. */
export function createDecider(options: DeciderOptions) {
  const { clock, tally, caching } = options;
  let current: Active | undefined;
  const evaluate = async (active: Active, request: AccessRequest, key: string | undefined, begun: number) => {
    const equal = key === undefined ? undefined : active.pending.get(key);
    // Many equal questions at once, as after an activation, are evaluated once; a failure is not shared.
    const shared = equal === undefined ? undefined : await equal;
    if (shared?.certain === true) return ended(request, shared.verdict, true, begun);
    const pending = verdictFor(options, active, request);
    if (key !== undefined) active.pending.set(key, pending);
    try {
      const verdict = await pending;
      if (key !== undefined && verdict.certain) active.cache.set(key, verdict.verdict);
      return ended(request, verdict.verdict, false, begun);
    } finally {
      if (key !== undefined && active.pending.get(key) === pending) active.pending.delete(key);
    }
  };
  const ended = (
    { action: { name: action }, context }: AccessRequest,
    found: Verdict,
    cached: boolean,
    begun: number,
  ): Decided => {
    // Equal questions share a verdict, whatever people have answered.
    const verdict = found.asks === undefined ? found : withApprovals(found, context);
    const took = clock.monotonic() - begun;
    tally.decided(action, verdict, cached, took);
    return { verdict, cached, duration_us: Math.round(took * 1000), entrypoint: entrypointOf(action) };
  };
  return {
    /** Makes a revision the active one; running evaluations finish on the revision they started with. */
    use: (active: Active | undefined) => void (current = active),
    active: () => current,
    /** Decides one question. Never throws: a question that cannot be decided is denied with a stable reason. */
    decide(request: AccessRequest): Decided | Promise<Decided> {
      const begun = clock.monotonic();
      const action = request.action.name;
      if (current === undefined) return ended(request, denial('policy_unavailable', undefined), false, begun);
      const wrong = refusal(request, current);
      if (wrong !== undefined) return ended(request, wrong, false, begun);
      const key = caching ? current.cache.keyOf(action, request) : undefined;
      const known = key === undefined ? undefined : current.cache.get(key);
      if (known !== undefined) return ended(request, known, true, begun);
      return evaluate(current, request, key, begun);
    },
  };
}

/** Names the entrypoint of an action in the compiled module. */
export function entrypointOf(action: string): string {
  return `orb/system/${action}`;
}

// 2020-01-01: an earlier time means that the clock is not set.
const earliest = '1577836800000000000';

function refusal(request: AccessRequest, { digest, policies, outdated }: Active): Verdict | undefined {
  const fault = faultOf(request);
  if (fault !== undefined) return denial('policy_input_invalid', digest, fault);
  const time = String(request.context['time_ns']);
  if (time.length < earliest.length || (time.length === earliest.length && time < earliest))
    return denial('policy_integrity', digest, 'the clock is not set');
  if (outdated)
    return denial('policy_integrity', digest, 'an earlier version compiled the policies without their asks');
  return policies.length === 0 ? denial('no_policy', digest, 'the folder holds no policy') : undefined;
}

/** A verdict, and whether it may be cached. */
export interface Evaluated {
  readonly verdict: Verdict;
  /** The evaluation finished with a valid result, so the verdict may be cached. */
  readonly certain: boolean;
}

const keepsRunningOut = { fault: 'policy_timeout', detail: 'the policy keeps running out of time' } as const;

async function verdictFor(options: DeciderOptions, active: Active, request: AccessRequest): Promise<Evaluated> {
  const { pool, breaker, log } = options;
  const { digest } = active;
  const principal = request.subject.id;
  const no = (code: DenialCode, message?: string): Evaluated => ({
    verdict: denial(code, digest, message),
    certain: false,
  });
  if (!breaker.allows(digest, principal)) return no(keepsRunningOut.fault, keepsRunningOut.detail);
  const answer = await pool.evaluate({
    // Questions queued behind the ones that timed out are answered at once; they would time out too.
    refused: () => (breaker.open(digest, principal) ? keepsRunningOut : undefined),
    revision: digest,
    entrypoint: entrypointOf(request.action.name),
    input: inputOf(request, active),
    time_ns: String(request.context['time_ns']),
    principal,
  });
  if (answer === keepsRunningOut) return no(keepsRunningOut.fault, keepsRunningOut.detail);
  tellBreaker(breaker, answer, digest, principal);
  if ('fault' in answer) {
    if (answer.fault === 'policy_builtin_error') return no(answer.fault, answer.detail);
    // The evaluator's message names rules of the policy: only the operator may see it.
    log.warn(
      { revision: digest, code: answer.fault, detail: answer.detail.slice(0, 500) },
      'a policy could not decide',
    );
    return no(answer.fault);
  }
  const result = readResult(answer.answer);
  if (result === undefined) return no('policy_result_invalid');
  const verdict = verdictOf(result, digest, { action: request.action.name, groups: options.groups });
  return { verdict, certain: true };
}

// Inputs may be long, and most policies do not look at them: those are not sent to the thread.
function inputOf({ context, ...request }: AccessRequest, { digest, readingInputs }: Active): string {
  const { inputs, parsed, ...known } = context;
  const isWhole = inputs === undefined || readingInputs.has(request.action.name);
  const shown = isWhole ? context : { ...known, inputs: {}, ...(parsed === undefined ? {} : { parsed: {} }) };
  return JSON.stringify({ ...request, context: { ...shown, revision: digest } });
}

function tellBreaker(breaker: Breaker, answer: PoolAnswer, digest: string, principal: string): void {
  const fault = 'fault' in answer ? answer.fault : undefined;
  if (fault === 'policy_timeout') breaker.timedOut(digest, principal);
  else if (fault === 'policy_overloaded') breaker.unasked(digest, principal);
  else breaker.answered(digest, principal);
}

/** Counts decisions without keeping an object per decision; the metrics and the status show the counts. */
export type Tally = Readonly<ReturnType<typeof createTally>>;

/** Creates the tally and registers its metrics. */
export function createTally(metrics: Metrics) {
  const counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();
  const tally = { hits: 0, misses: 0, timeouts: 0 };
  const duration = metrics.histogram(
    'orb_policy_evaluation_seconds',
    'Duration of decisions that were not answered from the cache',
    ['action'],
    [0.0002, 0.0005, 0.001, 0.005, 0.02, 0.05, 0.2],
  );
  metrics.collect('orb_policy_decisions_total', 'Decisions by action and outcome', 'counter', () => [
    ...counts.values(),
  ]);
  metrics.collect('orb_policy_cache_total', 'Decisions by cache result', 'counter', () => [
    { labels: { result: 'hit' }, value: tally.hits },
    { labels: { result: 'miss' }, value: tally.misses },
  ]);
  metrics.gauge('orb_policy_cache_hit_ratio', 'Share of decisions that were answered from the cache', () =>
    tally.hits + tally.misses === 0 ? 0 : tally.hits / (tally.hits + tally.misses),
  );
  return Object.assign(tally, {
    decided(action: string, verdict: Verdict, cached: boolean, milliseconds: number) {
      if (cached) tally.hits += 1;
      else {
        tally.misses += 1;
        duration.observe({ action }, milliseconds / 1000);
      }
      const refused = verdict.asks === undefined ? (verdict.reasons?.[0]?.code ?? 'deny') : 'ask';
      const outcome = verdict.allow ? 'allow' : refused;
      if (outcome === 'policy_timeout') tally.timeouts += 1;
      const key = `${action} ${outcome}`;
      const found = counts.get(key);
      if (found === undefined) counts.set(key, { labels: { action, outcome }, value: 1 });
      else found.value += 1;
    },
  });
}
