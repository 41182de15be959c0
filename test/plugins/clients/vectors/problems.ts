import { problemTable } from '../../../../kernel/problem-table.ts';
import { builtin } from '../../../../plugins/builtin.ts';
import { rowOf, type RetryRow } from '../../../../plugins/clients/retry/rows.ts';
import type { Answer } from './script.ts';

/** One case: the only answer to a call, and its outcome. `doubt`: an earlier try was sent, and its answer lost. */
export interface ProblemCase {
  readonly name: string;
  readonly answer: Answer;
  readonly doubt?: true;
  readonly result: object;
}

const run_id = 'run_01M7X8PQG00000000000000002';

/** The outcome that a row of the retry table asks for. */
function outcomeOf(code: string, { acted, kind }: RetryRow, retryable: boolean): object {
  switch (kind) {
    case 'denied':
      return { kind, code, reasons: [] };
    case 'failed':
      return { kind, code, retryable, acted: acted === true };
    case 'unverified':
      return { kind, check: 'outputs', run_id };
    case 'rejected':
    case 'unknown':
      return { kind, code };
  }
}

const body = (code: string, status: number, more: object = {}): object => ({ code, status, title: 'No', ...more });

// Every problem of the program, as the server answers it.
const all: readonly ProblemCase[] = [...problemTable(builtin.plugins).values()].map((problem) => {
  const { code, retryable, status } = problem;
  const row = rowOf(problem);
  const more = row.kind === 'unverified' ? { run_id, run_status: 'completed', retryable } : { retryable };
  return { name: code, answer: { status, body: body(code, status, more) }, result: outcomeOf(code, row, retryable) };
});

const denied = body('access_denied', 403, {
  ...{ run_id, run_status: 'denied', reasons: [{ code: 'outside_address', message: 'not to strangers' }] },
  receipt: { receipt_id: 'rec_1' },
});
const rejected = body('provider_rejected', 422, { run_id, run_status: 'failed', provider_reason: 'recipient_gone' });
const failed = body('provider_failed', 502, { run_id, run_status: 'failed', retryable: true });
const limited: Answer = {
  status: 429,
  headers: { 'retry-after': '1' },
  body: body('rate_limited', 429, { retryable: true }),
};
const page = '<html><body>Bad gateway</body></html>';

const odd: readonly ProblemCase[] = [
  {
    name: 'a denial with reasons',
    answer: { status: 403, body: denied },
    result: {
      kind: 'denied',
      code: 'access_denied',
      reasons: [{ code: 'outside_address', message: 'not to strangers' }],
      run_id,
    },
  },
  {
    name: 'a rejection with a reason',
    answer: { status: 422, body: rejected },
    result: { kind: 'rejected', code: 'provider_rejected', reason: 'recipient_gone', run_id },
  },
  {
    name: 'a run that failed',
    answer: { status: 502, body: failed },
    result: { kind: 'failed', code: 'provider_failed', retryable: true, acted: false, run_id },
  },
  {
    name: 'a run that failed, after a lost answer',
    doubt: true,
    answer: { status: 502, body: failed },
    result: { kind: 'failed', code: 'provider_failed', retryable: true, acted: false, run_id },
  },
  {
    name: 'a limit, after a lost answer',
    doubt: true,
    answer: limited,
    result: { kind: 'unknown', code: 'rate_limited' },
  },
  {
    name: 'a wrong key, after a lost answer',
    doubt: true,
    answer: { status: 401, body: body('unauthenticated', 401) },
    result: { kind: 'unknown', code: 'unauthenticated' },
  },
  {
    name: 'a page of a proxy, 502',
    answer: { status: 502, text: page },
    result: { kind: 'unknown', code: 'http_502' },
  },
  {
    name: 'a page of a proxy, 404',
    answer: { status: 404, text: page },
    result: { kind: 'rejected', code: 'http_404' },
  },
  {
    name: 'a page of a proxy, 404, after a lost answer',
    doubt: true,
    answer: { status: 404, text: page },
    result: { kind: 'unknown', code: 'http_404' },
  },
  {
    name: 'a page of a proxy, 200',
    answer: { status: 200, text: page },
    result: { kind: 'unknown', code: 'http_200' },
  },
  {
    name: 'a redirect',
    answer: { status: 307, headers: { location: 'https://elsewhere.example' }, text: '' },
    result: { kind: 'rejected', code: 'http_307' },
  },
  {
    name: 'a problem that is cut',
    answer: { status: 503, text: '{"code":"overlo' },
    result: { kind: 'unknown', code: 'http_503' },
  },
  { name: 'an empty answer, 500', answer: { status: 500, text: '' }, result: { kind: 'unknown', code: 'http_500' } },
  {
    name: 'a run without outputs',
    answer: { status: 200, body: { run_id, status: 'completed' } },
    result: { kind: 'unknown', code: 'http_200' },
  },
  { name: 'a list', answer: { status: 200, body: [] }, result: { kind: 'unknown', code: 'http_200' } },
  {
    name: 'an unknown code, 4xx',
    answer: { status: 418, body: body('of_the_future', 418) },
    result: { kind: 'rejected', code: 'of_the_future' },
  },
  {
    name: 'an unknown code, 5xx',
    answer: { status: 503, body: body('of_the_future', 503, { retryable: true }) },
    result: { kind: 'unknown', code: 'of_the_future' },
  },
  {
    name: 'an unknown code of a run that failed',
    answer: { status: 502, body: body('of_the_future', 502, { run_id, run_status: 'failed' }) },
    result: { kind: 'failed', code: 'of_the_future', retryable: false, acted: false, run_id },
  },
  {
    name: 'an unknown code of a run that is denied',
    answer: { status: 403, body: body('of_the_future', 403, { run_id, run_status: 'denied' }) },
    result: { kind: 'denied', code: 'of_the_future', reasons: [], run_id },
  },
  {
    name: 'an unknown code of a run whose outcome is unknown',
    answer: { status: 409, body: body('of_the_future', 409, { run_id, run_status: 'indeterminate' }) },
    result: { kind: 'unknown', code: 'of_the_future', run_id },
  },
];

/** Answers that are no success. */
export const problems: readonly ProblemCase[] = [...all, ...odd];
