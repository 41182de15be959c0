import type { ProblemType } from '../../../kernel/index.ts';

/** Whether a client repeats a call: never, at once with the key of the call, or with it after a wait. */
export type Retry = 'never' | 'same_key' | 'after';

/** What a problem means to the caller, whose outcome has this kind. */
export type Kind = 'denied' | 'failed' | 'rejected' | 'unknown' | 'unverified';

/** A row of the retry table. `acted`: the action was done although the call failed. */
export interface RetryRow {
  readonly status: number;
  readonly retry: Retry;
  readonly kind: Kind;
  readonly acted?: true;
}

// A call that ended: under its key a repetition gets the stored answer, and a new key is for the caller to choose.
const ended: ReadonlySet<string> = new Set([
  ...['approval_backlog', 'provider_failed', 'probe_failed', 'run_cancelled', 'run_timed_out'],
]);

const kinds: Readonly<Record<string, Kind>> = {
  access_denied: 'denied',
  approval_backlog: 'denied',
  approval_expired: 'denied',
  approval_refused: 'denied',
  approval_required: 'denied',
  caller_gone: 'failed',
  // The first request with the key goes on.
  idempotency_in_progress: 'unknown',
  // A defect says nothing of what was done before it.
  internal: 'unknown',
  outcome_unknown: 'unknown',
  run_cancelled: 'failed',
  // It was done, and its outputs are not known.
  run_settled: 'unverified',
  storage_unavailable: 'unknown',
};

/** Answers the row of a problem. */
export function rowOf({ code, retryable, status }: Pick<ProblemType, 'code' | 'retryable' | 'status'>): RetryRow {
  return {
    status,
    retry: retryable && !ended.has(code) ? waitOf(code, status) : 'never',
    kind: kinds[code] ?? kindOf(status),
    ...(code === 'invalid_outputs' ? { acted: true } : {}),
  };
}

/** Answers the rows of all problems of an installation, by their code. */
export function rowsOf(problems: Iterable<Pick<ProblemType, 'code' | 'retryable' | 'status'>>) {
  return Object.fromEntries([...problems].map((problem) => [problem.code, rowOf(problem)]));
}

// The result of a write that was not recorded is found under its key; other answers 429 and 503 ask for a pause.
function waitOf(code: string, status: number): Retry {
  return (status === 429 || status === 503) && code !== 'storage_unavailable' ? 'after' : 'same_key';
}

function kindOf(status: number): Kind {
  return status >= 500 || status === 408 || status === 429 ? 'failed' : 'rejected';
}
