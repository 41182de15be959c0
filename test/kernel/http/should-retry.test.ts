import { expect } from 'chai';
import { PlatformError, problems, type ProblemExtensions } from '../../../kernel/error.ts';
import runtime from '../../../plugins/runtime/index.ts';
import { problemTable } from '../../../kernel/problem-table.ts';
import { toProblem } from '../../../kernel/http/route/problem.ts';

const scope = { problems: problemTable([runtime]), publicUrl: 'http://orb.test' };
const said = (error: unknown) => toProblem(error, scope, 'req_1').headers;
const of = (code: string, extensions: ProblemExtensions = {}) => said(new PlatformError(code, 'x', extensions));

describe('the header X-Should-Retry of problems', () => {
  it('is false for each code that is not retryable, and for a defect', () => {
    for (const [code, { retryable }] of Object.entries({ ...problems, ...runtime.problems }))
      expect(of(code)['X-Should-Retry'], code).to.equal(String(retryable));
    expect(said(new Error('defect'))['X-Should-Retry']).to.equal('false');
  });

  const ended = { run_id: 'run_1', run_status: 'failed' };
  for (const [title, code, extensions, headers] of [
    ['a run whose outcome is unknown', 'outcome_unknown', { run_id: 'run_1' }, ['false', undefined]],
    ['a limit', 'rate_limited', { retry_after: 1.2 }, ['true', '2']],
    ['a run without a provider', 'provider_unavailable', { ...ended, retry_after: 5 }, ['true', '5']],
    ['a request that the store could not take', 'storage_unavailable', { retry_after: 1 }, ['true', '1']],
    ['a run that ended before it was sent', 'storage_unavailable', { ...ended, retry_after: 1 }, ['true', '1']],
    ['a run whose result is not recorded', 'storage_unavailable', { run_id: 'run_1', retry_after: 1 }, ['false', '1']],
    ['a stored answer', 'provider_failed', { headers: { 'Idempotent-Replayed': 'true' } }, ['false', undefined]],
  ] as const)
    it(`is ${headers[0]} for ${title}`, () => {
      const found = of(code, extensions);
      expect([found['X-Should-Retry'], found['Retry-After']]).to.deep.equal(headers);
    });
});
