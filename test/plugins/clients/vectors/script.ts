/** An answer of a scripted server. `broken`: there is none; `hang`: none in time. */
export type Answer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly text?: string;
    }
  | { readonly broken: 'refused' | 'reset' }
  | { readonly hang: true };

/** What a caller does, in order. */
export type Step = 'enqueue' | 'result' | 'run' | 'settle';

/** One case: what is done, the answers in order (the last one repeats), and what a client does. */
export interface ScriptCase {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly timeout_ms?: number;
  readonly answers: readonly Answer[];
  readonly result: {
    readonly outcomes: readonly object[];
    /** The requests, with their number where one is repeated. */
    readonly requests: readonly string[];
    /** Pauses between tries, ms, with a random number of 0. */
    readonly waits: readonly number[];
    /** How many different Idempotency-Keys were sent. */
    readonly keys: number;
  };
}

/** Id of the run of all scripts. */
export const run_id = 'run_01M7X8PQG00000000000000002';
/** Its outputs. */
export const outputs = { message_id: '<1@example.com>' };
/** Its receipt. */
export const receipt = { receipt_id: 'rec_01M7X8PQG00000000000000003' };
/** A run that completed. */
export const done: Answer = { status: 200, body: { run_id, status: 'completed', outputs, receipt, execution_ms: 3 } };
/** The stored answer of the same. */
export const again: Answer = { ...done, headers: { 'idempotent-replayed': 'true' } };
/** Makes an answer that is a problem. */
export const problem = (
  code: string,
  status: number,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  ...{ status, headers, body: { code, status, title: 'No', ...more } },
});
/** The first request with the key goes on. */
export const busy = problem('idempotency_in_progress', 409, { retryable: true }, { 'retry-after': '1' });
/** The server is overloaded. */
export const overloaded = problem('overloaded', 503, { retryable: true });
/** A run that failed. */
export const failed = problem(
  'provider_failed',
  502,
  { run_id, run_status: 'failed', retryable: true },
  { 'x-should-retry': 'true' },
);
/** A run whose outcome is unknown. */
export const unknown = problem('outcome_unknown', 504, { run_id, run_status: 'indeterminate', retryable: false });
/** A run that people must approve. */
export const held: Answer = {
  status: 202,
  body: { run_id, status: 'held', approval: { id: 'apr_1', expires_at: '2026-11-24T00:00:00Z', url: 'https://x' } },
};
/** A run in the queue. */
export const queued: Answer = { status: 202, body: { run_id, status: 'queued', position: 1 } };
/** Makes the state of a run. */
export const state = (status: string, more: object = {}): Answer => ({
  status: 200,
  body: { run_id, orb_id: 'notify.email@1.0.0', status, ...more },
});

/** The outcome of the completed run. */
export const completed = { kind: 'completed', outputs, replayed: false, run_id };
/** The outcome of its stored answer. */
export const replayed = { ...completed, replayed: true };
/** The request of a call. */
export const execute = 'POST /orbisets/default/execute';
/** The request for the end of a run. */
export const follow = `GET /runs/${run_id}?wait=30`;
/** The same request several times. */
export const times = (count: number): readonly string[] => Array.from({ length: count }, () => execute);
/** The result of a script with one call. */
export const one = (outcome: object, requests: number, waits: readonly number[] = []): ScriptCase['result'] => ({
  ...{ outcomes: [outcome], requests: times(requests), waits, keys: 1 },
});
/** A script of one call. */
export const run = { steps: ['run'] as const };
