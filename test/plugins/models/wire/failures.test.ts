import { expect } from 'chai';
import { defineProblems, PlatformError } from '../../../../kernel/index.ts';
import { toProblem } from '../../../../kernel/http/route/problem.ts';
import { problems as kernelProblems } from '../../../../kernel/error.ts';
import * as anthropic from '../../../../plugins/models/anthropic/error.ts';
import * as openai from '../../../../plugins/models/openai/error.ts';
import { problems as own } from '../../../../plugins/models/problems.ts';
import { paramOf } from '../../../../plugins/models/wire/member.ts';
import { problems as ofRuns } from '../../../../plugins/runtime/outcome/problems.ts';

const ofBudgets = defineProblems({ budget_exhausted: { status: 429, title: 'The budget is exhausted' } });
const table = new Map(
  [kernelProblems, ofRuns, own, ofBudgets].flatMap((rows) =>
    Object.values(rows).map((row) => [row.code, row] as const),
  ),
);

const problem = (code: string, extensions: PlatformError['extensions'] = {}) =>
  toProblem(
    new PlatformError(code, `what ${code} says`, extensions),
    { problems: table, publicUrl: 'http://orb' },
    'req_1',
  );

// Code; status, type and code of OpenAI; status and type of Anthropic; x-should-retry, retry-after.
const rows: readonly (readonly [string, number, string, string, number, string, boolean, string?])[] = [
  ['malformed_json', 400, 'invalid_request_error', 'malformed_json', 400, 'invalid_request_error', false],
  ['invalid_body', 400, 'invalid_request_error', 'invalid_body', 400, 'invalid_request_error', false],
  ['invalid_inputs', 400, 'invalid_request_error', 'invalid_inputs', 400, 'invalid_request_error', false],
  ['unsupported_parameter', 400, 'invalid_request_error', 'unsupported_parameter', 400, 'invalid_request_error', false],
  ['idempotency_mismatch', 400, 'invalid_request_error', 'idempotency_mismatch', 400, 'invalid_request_error', false],
  ['provider_rejected', 400, 'invalid_request_error', 'provider_rejected', 400, 'invalid_request_error', false],
  ['unauthenticated', 401, 'invalid_request_error', 'invalid_api_key', 401, 'authentication_error', false],
  ['access_denied', 403, 'invalid_request_error', 'access_denied', 403, 'permission_error', false],
  ['insufficient_scope', 403, 'invalid_request_error', 'insufficient_scope', 403, 'permission_error', false],
  ['model_not_found', 404, 'invalid_request_error', 'model_not_found', 404, 'not_found_error', false],
  [
    'idempotency_in_progress',
    409,
    'invalid_request_error',
    'idempotency_in_progress',
    409,
    'conflict_error',
    true,
    '1',
  ],
  ['payload_too_large', 413, 'invalid_request_error', 'payload_too_large', 413, 'request_too_large', false],
  ['rate_limited', 429, 'rate_limit_error', 'rate_limit_exceeded', 429, 'rate_limit_error', true, '1'],
  ['budget_exhausted', 429, 'insufficient_quota', 'insufficient_quota', 429, 'rate_limit_error', false],
  ['invalid_outputs', 502, 'server_error', 'invalid_outputs', 502, 'api_error', false],
  [
    'provider_unavailable',
    503,
    'service_unavailable_error',
    'provider_unavailable',
    529,
    'overloaded_error',
    true,
    '1',
  ],
  ['policy_unavailable', 503, 'service_unavailable_error', 'policy_unavailable', 503, 'api_error', true, '1'],
  ['storage_unavailable', 503, 'service_unavailable_error', 'storage_unavailable', 503, 'api_error', true, '1'],
  ['run_timed_out', 504, 'server_error', 'run_timed_out', 504, 'timeout_error', false],
  ['token_count_unavailable', 501, 'server_error', 'token_count_unavailable', 501, 'api_error', false],
  ['internal', 500, 'server_error', 'internal', 500, 'api_error', false],
];

describe('the failures of the doors', () => {
  for (const [code, status, type, ownCode, other, otherType, repeat, after] of rows)
    it(`are in the form of each door for ${code}`, () => {
      const [one, two] = [openai.presentError(problem(code)), anthropic.presentError(problem(code))];
      expect(one.body).to.have.nested.property('error.type', type);
      expect(one.body).to.have.nested.property('error.code', ownCode);
      expect(two.body).to.deep.include({ type: 'error', request_id: 'req_1' });
      expect(two.body).to.have.nested.property('error.type', otherType);
      expect(two.body).to.have.nested.property('error.details.error_code', code);
      expect([one.status, two.status]).to.deep.equal([status, other]);
      for (const { headers } of [one, two]) {
        expect(headers?.['X-Should-Retry']).to.equal(String(repeat));
        expect(headers?.['Retry-After']).to.equal(after);
        expect(headers?.['request-id']).to.equal('req_1');
      }
    });

  it('name the run, the receipt and the parameter', () => {
    const errors = [{ pointer: '#/messages/0/content', detail: 'is missing' }];
    const told = problem('invalid_body', { errors, run_id: 'run_1', receipt: { receipt_id: 'rec_1' } });
    const { headers, body } = openai.presentError(told);
    expect(headers?.['x-orb-run-id']).to.equal('run_1');
    expect(body).to.deep.equal({
      error: {
        message: 'what invalid_body says',
        type: 'invalid_request_error',
        param: 'messages[0].content',
        code: 'invalid_body',
        orb: { code: 'invalid_body', errors, run_id: 'run_1', receipt: { receipt_id: 'rec_1' } },
      },
    });
  });

  it('never ask for a longer wait than clients take', () => {
    const { headers } = openai.presentError(problem('rate_limited', { retry_after: 3600 }));
    expect(headers?.['Retry-After']).to.equal('60');
  });

  it('say nothing of a defect', () => {
    const { body } = anthropic.presentError(problem('internal'));
    expect(body).to.have.nested.property('error.message', 'a defect, request req_1');
  });

  it('end a stream as an event', () => {
    expect(openai.errorEvent(problem('run_timed_out'))).to.match(/^data: \{"error":.*\n\n$/);
    expect(anthropic.errorEvent(problem('run_timed_out'))).to.match(/^event: error\ndata: \{"type":"error",.*\n\n$/);
  });
});

describe('the name of a parameter', () => {
  const pointers: readonly (readonly [string, string])[] = [
    ['#/model', 'model'],
    ['#/messages/0/content/1/text', 'messages[0].content[1].text'],
    ['#/vendor/a~1b', 'vendor.a/b'],
  ];
  for (const [pointer, name] of pointers) it(`is ${name}`, () => void expect(paramOf(pointer)).to.equal(name));
});
