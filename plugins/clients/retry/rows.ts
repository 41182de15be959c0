import type { ProblemType } from '../../../kernel/index.ts';

/** A row of the retry table: what a client does after a problem. */
export interface RetryRow {
  readonly status: number;
  /** Whether it repeats the call: never, at once with the key of the call, or with it after a wait. */
  readonly retry: 'never' | 'same_key' | 'after';
  /** The kind of the outcome. */
  readonly kind: Kind;
  /** The action was done although the call failed. */
  readonly acted?: true;
}

type Kind = 'denied' | 'failed' | 'rejected' | 'unknown' | 'unverified';
type Fault = Pick<ProblemType, 'code' | 'retryable' | 'status'>;

// A call that ended: under its key a repetition gets the stored answer, and a new key is for the caller to choose.
const ended = new Set(['approval_backlog', 'provider_failed', 'probe_failed', 'run_cancelled', 'run_timed_out']);

// Problems whose kind does not follow from their status.
const kinds: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  denied: ['access_denied', 'approval_backlog', 'approval_expired', 'approval_refused', 'approval_required'],
  failed: ['caller_gone', 'run_cancelled'],
  // The first request with the key goes on; a defect says nothing of what was done before it.
  unknown: ['idempotency_in_progress', 'internal', 'outcome_unknown', 'storage_unavailable'],
  // It was done, and its outputs are not known.
  unverified: ['run_settled'],
};

/** Answers the row of a problem. */
export function rowOf({ code, retryable, status }: Fault): RetryRow {
  const [kind] = Object.entries(kinds).find(([, codes]) => codes.includes(code)) ?? [];
  const isOver = status >= 500 || status === 408 || status === 429;
  // The result of a write that was not recorded is found under its key; other answers 429 and 503 ask for a pause.
  const asksForPause = (status === 429 || status === 503) && code !== 'storage_unavailable';
  return {
    status,
    retry: !retryable || ended.has(code) ? 'never' : asksForPause ? 'after' : 'same_key',
    kind: (kind as Kind | undefined) ?? (isOver ? 'failed' : 'rejected'),
    ...(code === 'invalid_outputs' ? { acted: true } : {}),
  };
}

/** Answers the rows of all problems of an installation, by their code. */
export function rowsOf(problems: Iterable<Fault>): Readonly<Record<string, RetryRow>> {
  return Object.fromEntries([...problems].map((problem) => [problem.code, rowOf(problem)]));
}
