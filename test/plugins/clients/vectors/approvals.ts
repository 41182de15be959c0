import { run_id, receipt, again, held, queued, state, replayed, execute, follow, type ScriptCase } from './script.ts';

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
