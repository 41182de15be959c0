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

const run_id = 'run_01M7X8PQG00000000000000002';
const outputs = { message_id: '<1@example.com>' };
const receipt = { receipt_id: 'rec_01M7X8PQG00000000000000003' };
const done: Answer = { status: 200, body: { run_id, status: 'completed', outputs, receipt, execution_ms: 3 } };
const again: Answer = { ...done, headers: { 'idempotent-replayed': 'true' } };
const problem = (
  code: string,
  status: number,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  ...{ status, headers, body: { code, status, title: 'No', ...more } },
});
const busy = problem('idempotency_in_progress', 409, { retryable: true }, { 'retry-after': '1' });
const overloaded = problem('overloaded', 503, { retryable: true });
const failed = problem(
  'provider_failed',
  502,
  { run_id, run_status: 'failed', retryable: true },
  { 'x-should-retry': 'true' },
);
const unknown = problem('outcome_unknown', 504, { run_id, run_status: 'indeterminate', retryable: false });
const held: Answer = {
  status: 202,
  body: { run_id, status: 'held', approval: { id: 'apr_1', expires_at: '2026-11-24T00:00:00Z', url: 'https://x' } },
};
const queued: Answer = { status: 202, body: { run_id, status: 'queued', position: 1 } };
const state = (status: string, more: object = {}): Answer => ({
  status: 200,
  body: { run_id, orb_id: 'notify.email@1.0.0', status, ...more },
});

const completed = { kind: 'completed', outputs, replayed: false, run_id };
const replayed = { ...completed, replayed: true };
const execute = 'POST /orbisets/default/execute';
const follow = `GET /runs/${run_id}?wait=30`;
const times = (count: number): readonly string[] => Array.from({ length: count }, () => execute);
const one = (outcome: object, requests: number, waits: readonly number[] = []): ScriptCase['result'] => ({
  ...{ outcomes: [outcome], requests: times(requests), waits, keys: 1 },
});
const run = { steps: ['run'] as const };

/** Retries. */
export const scripts: readonly ScriptCase[] = [
  { name: 'an answer at once', ...run, answers: [done], result: one(completed, 1) },
  {
    name: 'a connection that breaks after it was sent',
    ...run,
    answers: [{ broken: 'reset' }, again],
    result: one(replayed, 2, [500]),
  },
  {
    name: 'a connection that is refused, then made',
    ...run,
    answers: [{ broken: 'refused' }, done],
    result: one(completed, 2, [500]),
  },
  {
    name: 'a server that is not there',
    ...run,
    answers: [{ broken: 'refused' }],
    result: one({ kind: 'unreachable' }, 4, [500, 1000, 2000]),
  },
  {
    name: 'a server that always breaks off',
    ...run,
    answers: [{ broken: 'reset' }],
    result: one({ kind: 'unknown' }, 4, [500, 1000, 2000]),
  },
  {
    name: 'a refused connection after a lost answer',
    ...run,
    answers: [{ broken: 'reset' }, { broken: 'refused' }],
    result: one({ kind: 'unknown' }, 4, [500, 1000, 2000]),
  },
  {
    name: 'no answer in time: one last look',
    ...run,
    timeout_ms: 10_000,
    answers: [{ hang: true }, again],
    result: one(replayed, 2),
  },
  {
    name: 'no answer at all',
    ...run,
    timeout_ms: 10_000,
    answers: [{ hang: true }],
    result: one({ kind: 'unknown' }, 2),
  },
  {
    name: 'the first request goes on',
    ...run,
    answers: [{ broken: 'reset' }, busy, busy, busy, busy, busy, again],
    result: one(replayed, 7, [500, 1000, 1000, 1000, 1000, 1000]),
  },
  {
    name: 'the first request goes on for too long',
    ...run,
    timeout_ms: 4000,
    answers: [busy],
    result: one({ kind: 'unknown', code: 'idempotency_in_progress' }, 4, [1000, 1000, 1000]),
  },
  {
    name: 'an overload that ends',
    ...run,
    answers: [overloaded, overloaded, done],
    result: one(completed, 3, [500, 1000]),
  },
  {
    name: 'an overload that does not end',
    ...run,
    answers: [overloaded],
    result: one({ kind: 'failed', code: 'overloaded', retryable: true, acted: false }, 4, [500, 1000, 2000]),
  },
  {
    name: 'an overload after a lost answer',
    ...run,
    answers: [{ broken: 'reset' }, overloaded],
    result: one({ kind: 'unknown', code: 'overloaded' }, 4, [500, 1000, 2000]),
  },
  {
    name: 'Retry-After in seconds',
    ...run,
    answers: [problem('rate_limited', 429, { retryable: true }, { 'retry-after': '7' }), done],
    result: one(completed, 2, [7000]),
  },
  {
    name: 'Retry-After as a date',
    ...run,
    answers: [problem('draining', 503, { retryable: true }, { 'retry-after': 'Mon, 23 Nov 2026 20:00:05 GMT' }), done],
    result: one(completed, 2, [5000]),
  },
  {
    name: 'Retry-After beyond the cap',
    ...run,
    answers: [problem('draining', 503, { retryable: true }, { 'retry-after': '3600' }), done],
    result: one(completed, 2, [60_000]),
  },
  {
    name: 'Retry-After beyond the time of the call',
    ...run,
    timeout_ms: 10_000,
    answers: [problem('draining', 503, { retryable: true }, { 'retry-after': '3600' })],
    result: one({ kind: 'failed', code: 'draining', retryable: true, acted: false }, 1),
  },
  {
    name: 'Retry-After that cannot be read',
    ...run,
    answers: [problem('draining', 503, { retryable: true }, { 'retry-after': 'soon' }), done],
    result: one(completed, 2, [500]),
  },
  {
    name: 'an unknown outcome is not repeated',
    ...run,
    answers: [unknown],
    result: one({ kind: 'unknown', code: 'outcome_unknown', run_id }, 1),
  },
  {
    name: 'a run that failed is not repeated under its key',
    ...run,
    answers: [failed],
    result: one({ kind: 'failed', code: 'provider_failed', retryable: true, acted: false, run_id }, 1),
  },
  {
    name: 'a stored problem is not repeated',
    ...run,
    answers: [problem('overloaded', 503, { run_id, retryable: true }, { 'idempotent-replayed': 'true' })],
    result: one({ kind: 'failed', code: 'overloaded', retryable: true, acted: false, run_id }, 1),
  },
  {
    name: 'a result that was not recorded is found under its key',
    ...run,
    answers: [problem('storage_unavailable', 503, { run_id, retryable: true }, { 'x-should-retry': 'false' }), again],
    result: one(replayed, 2, [500]),
  },
  {
    name: 'a defect is not repeated',
    ...run,
    answers: [problem('internal', 500)],
    result: one({ kind: 'unknown', code: 'internal' }, 1),
  },
  {
    name: 'an answer that is cut',
    ...run,
    answers: [{ status: 200, text: '{"run_id":"run_' }, again],
    result: one(replayed, 2, [500]),
  },
  {
    name: 'a page of a proxy, then the answer',
    ...run,
    answers: [{ status: 502, text: '<html>' }, again],
    result: one(replayed, 2, [500]),
  },
  {
    name: 'a page of a proxy, always',
    ...run,
    answers: [{ status: 502, text: '<html>' }],
    result: one({ kind: 'unknown', code: 'http_502' }, 4, [500, 1000, 2000]),
  },
  {
    name: 'a problem of the future',
    ...run,
    answers: [problem('of_the_future', 503, { retryable: true })],
    result: one({ kind: 'unknown', code: 'of_the_future' }, 1),
  },
  {
    name: 'wrong inputs',
    ...run,
    answers: [problem('invalid_inputs', 422)],
    result: one({ kind: 'rejected', code: 'invalid_inputs' }, 1),
  },
  {
    name: 'a denial',
    ...run,
    answers: [problem('access_denied', 403, { run_id, run_status: 'denied', reasons: [] })],
    result: one({ kind: 'denied', code: 'access_denied', reasons: [], run_id }, 1),
  },
  {
    name: 'an unknown outcome that is settled as done',
    steps: ['run', 'settle'],
    answers: [unknown, state('completed', { resolution: 'rec_9' })],
    result: {
      outcomes: [
        { kind: 'unknown', code: 'outcome_unknown', run_id },
        { kind: 'unverified', check: 'outputs', run_id },
      ],
      ...{ requests: [execute, follow], waits: [], keys: 1 },
    },
  },
  {
    name: 'a lost answer that is settled by its key',
    steps: ['run', 'settle'],
    answers: [{ broken: 'reset' }, { broken: 'reset' }, { broken: 'reset' }, { broken: 'reset' }, again],
    result: { outcomes: [{ kind: 'unknown' }, replayed], requests: times(5), waits: [500, 1000, 2000], keys: 1 },
  },
];

/** Runs that people are asked about, and runs in the queue. */
export const approvals: readonly ScriptCase[] = [
  {
    name: 'held, then approved',
    steps: ['run', 'settle'],
    answers: [held, state('held'), state('running'), state('completed', receipt), again],
    result: {
      outcomes: [{ kind: 'held', run_id, approval: 'apr_1' }, replayed],
      ...{ requests: [execute, follow, follow, follow, execute], waits: [], keys: 1 },
    },
  },
  {
    name: 'held, then refused',
    steps: ['run', 'settle'],
    answers: [held, state('denied', { reason: 'approval_refused', ...receipt })],
    result: {
      outcomes: [
        { kind: 'held', run_id, approval: 'apr_1' },
        { kind: 'denied', code: 'approval_refused', reasons: [{ code: 'approval_refused' }], run_id },
      ],
      ...{ requests: [execute, follow], waits: [], keys: 1 },
    },
  },
  {
    name: 'held, then its time is over',
    steps: ['run', 'settle'],
    answers: [held, state('denied', { reason: 'approval_expired', ...receipt })],
    result: {
      outcomes: [
        { kind: 'held', run_id, approval: 'apr_1' },
        { kind: 'denied', code: 'approval_expired', reasons: [{ code: 'approval_expired' }], run_id },
      ],
      ...{ requests: [execute, follow], waits: [], keys: 1 },
    },
  },
  {
    name: 'held, then cancelled',
    steps: ['run', 'settle'],
    answers: [held, state('cancelled', receipt)],
    result: {
      outcomes: [
        { kind: 'held', run_id, approval: 'apr_1' },
        { kind: 'failed', code: 'cancelled', retryable: false, acted: false, run_id },
      ],
      ...{ requests: [execute, follow], waits: [], keys: 1 },
    },
  },
  {
    name: 'queued, then completed',
    steps: ['enqueue', 'result'],
    answers: [queued, state('queued'), state('completed', receipt), again],
    result: {
      outcomes: [{ kind: 'queued', run_id }, replayed],
      ...{ requests: [`${execute} respond-async`, follow, follow, execute], waits: [], keys: 1 },
    },
  },
  {
    name: 'queued, then failed with the problem of the run',
    steps: ['enqueue', 'result'],
    answers: [
      queued,
      state('failed', {
        reason: 'provider_rejected',
        problem: {
          code: 'provider_rejected',
          status: 422,
          run_id,
          run_status: 'failed',
          provider_reason: 'recipient_gone',
        },
      }),
    ],
    result: {
      outcomes: [
        { kind: 'queued', run_id },
        { kind: 'rejected', code: 'provider_rejected', reason: 'recipient_gone', run_id },
      ],
      ...{ requests: [`${execute} respond-async`, follow], waits: [], keys: 1 },
    },
  },
  {
    name: 'queued, and the outcome is unknown',
    steps: ['enqueue', 'result'],
    answers: [queued, state('indeterminate', { reason: 'deadline', ...receipt })],
    result: {
      outcomes: [
        { kind: 'queued', run_id },
        { kind: 'unknown', code: 'outcome_unknown', run_id },
      ],
      ...{ requests: [`${execute} respond-async`, follow], waits: [], keys: 1 },
    },
  },
  {
    name: 'a call that is queued already has ended',
    steps: ['enqueue'],
    answers: [again],
    result: { outcomes: [replayed], requests: [`${execute} respond-async`], waits: [], keys: 1 },
  },
];
