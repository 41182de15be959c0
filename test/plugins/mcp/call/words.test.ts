import { expect } from 'chai';
import { executeRoute } from '../../../../plugins/runtime/queue/execute-route.ts';
import { problemsOf } from '../../../../kernel/http/route/route-problem.ts';
import { toldCodes, wordsOf, type ToldProblem } from '../../../../plugins/mcp/call/words.ts';

const rows: readonly (ToldProblem & { readonly says: RegExp })[] = [
  {
    code: 'access_denied',
    reasons: [{ code: 'outside_hours', message: 'Only from 8 to 18' }],
    says: /^Not allowed by the operator's rules \(outside_hours\)\. Nothing was done\. Do not repeat/,
  },
  {
    code: 'approval_required',
    detail: 'a member of office must approve this run first; nothing was sent',
    reasons: [{ code: 'mail_outside', message: 'the mail goes to example.net' }],
    says: /^Not done: a member of office must approve this run first; nothing was sent \(mail_outside\)\. Do not repeat/,
  },
  { code: 'policy_unavailable', retry_after: 1, says: /^Nothing was done\. Try again in 1 s\.$/ },
  { code: 'overloaded', retry_after: 2.2, says: /Try again in 3 s\.$/ },
  { code: 'draining', says: /Try again in 1 s\.$/ },
  { code: 'rate_limited', retry_after: 9, says: /^Too many calls\. Nothing was done\. Try again in 9 s\.$/ },
  {
    code: 'invalid_inputs',
    errors: [{ pointer: '#/inputs/to', detail: 'is missing' }],
    says: /^The arguments do not fit: \/to: is missing\. Nothing was done\. Correct them/,
  },
  {
    code: 'invalid_inputs',
    errors: [{ pointer: '#/inputs', detail: 'must be an object' }],
    says: /arguments: must be an object/,
  },
  {
    code: 'provider_rejected',
    detail: 'no such mailbox',
    says: /refuses these arguments: no such mailbox\. Nothing was done\. Change them\.$/,
  },
  {
    code: 'provider_rejected',
    provider_reason: 'recipient_gone',
    detail: 'x'.repeat(500),
    says: /^The service refuses these arguments \(recipient_gone\): x+…\. Nothing was done\. The recipient no longer .* tell the user\.$/,
  },
  { code: 'provider_failed', says: /Nothing was done\. You may call again later\.$/ },
  { code: 'provider_unavailable', says: /Nothing was done\. You may call again later\.$/ },
  { code: 'run_timed_out', says: /safe to call again/ },
  { code: 'run_cancelled', says: /cancelled before anything was sent/ },
  { code: 'no_provider_allowed', says: /^Nobody may do this with this key\./ },
  {
    code: 'outcome_unknown',
    run_id: 'run_1',
    says: /^It is not known whether this was done\. Do not call it again\. Tell the user; run run_1\./,
  },
  { code: 'invalid_outputs', says: /^It was done, but the answer made no sense\. Do not call it again\.$/ },
  { code: 'storage_unavailable', says: /^It may have been done, but could not be recorded\. Do not call it again now/ },
  { code: 'idempotency_mismatch', says: /used with other arguments/ },
  { code: 'idempotency_in_progress', retry_after: 1, says: /still under way.*Ask again in 1 s/ },
  { code: 'made_up', detail: 'something', says: /^Nothing was done: something\. Tell the user\.$/ },
];

describe('the words for models', () => {
  for (const { says, ...problem } of rows)
    it(`tell what ${problem.code} means${problem.errors === undefined ? '' : ` at ${problem.errors[0]?.pointer ?? ''}`}`, () => {
      const text = wordsOf(problem).split('\n')[0] ?? '';
      expect(text).to.match(says);
      expect([...text].length).to.be.at.most(400);
    });

  it('show what a tool said of its failure, marked as its own words, and what to do in any case', () => {
    const detail = `the tool failed without reporting whether it had an effect; message of the tool: "no such file"`;
    const unknown = wordsOf({ code: 'outcome_unknown', run_id: 'run_1', detail }).split('\n');
    expect(unknown[1]).to.equal(`Reported: ${detail}`);
    const rejected = wordsOf({ code: 'provider_rejected', detail: 'x'.repeat(500) });
    expect(rejected).to.match(/x…\. Nothing was done\. Change them\.$/);
  });

  it('are known for every problem of a run', () => {
    const route = executeRoute(() => expect.fail('not run'), {} as never, {} as never);
    // Those of a request that never becomes a call of a tool, and of an Orb or Orbiset that is not there.
    const before = new Set([
      ...['malformed_request', 'request_timeout', 'header_fields_too_large', 'internal', 'unauthenticated'],
      ...['insufficient_scope', 'tls_required', 'unsupported_coding', 'malformed_json', 'payload_too_large'],
      ...['unsupported_media_type', 'orb_not_found', 'orbiset_not_found', 'queue_full'],
    ]);
    const left = problemsOf(route).filter((code) => !before.has(code) && !toldCodes.includes(code));
    expect(left).to.deep.equal([]);
  });

  it('name at most 16 faults and 4 reasons, shorten long texts, and end with run and receipt', () => {
    const errors = Array.from({ length: 20 }, (_, at) => ({ pointer: `#/inputs/${at}`, detail: 'no' }));
    expect(wordsOf({ code: 'invalid_inputs', errors }))
      .to.contain('/15: no')
      .and.contain('and 4 more')
      .and.not.contain('/16');
    const reasons = Array.from({ length: 6 }, (_, at) => ({ code: `c${at}`, message: 'm'.repeat(1000) }));
    const lines = wordsOf({ code: 'access_denied', reasons, run_id: 'run_1', receipt: { receipt_id: 'rec_1' } }).split(
      '\n',
    );
    expect(lines.slice(-2)).to.deep.equal(['run run_1', 'receipt rec_1']);
    expect(lines.filter((line) => line.startsWith('Reason: '))).to.have.length(4);
    for (const line of lines) expect([...line].length).to.be.at.most(408);
  });
});
