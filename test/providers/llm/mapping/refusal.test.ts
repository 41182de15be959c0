import { expect } from 'chai';
import { refusalOf } from '../../../../providers/llm/mapping/refusal.ts';

const read = (status: number, codes: readonly unknown[] = [], headers = {}) =>
  refusalOf({ title: 'Vendor', busy: [503] }, { status, headers, codes }, 0);

describe('refusals of vendors of models', () => {
  for (const [outcome, statuses] of [
    ['rejected', [400, 413, 415, 422]],
    ['provider_fault', [301, 401, 402, 403, 404]],
    ['throttled', [429, 529, 503]],
    ['unknown', [200, 408, 409, 424, 500, 502, 504]],
  ] as const)
    for (const status of statuses) it(`${status} is ${outcome}`, () => expect(read(status).outcome).to.equal(outcome));

  for (const [code, status, outcome] of [
    ['insufficient_quota', 429, 'provider_fault'],
    ['enforced_spend_limit_reached', 429, 'provider_fault'],
    ['server_is_overloaded', 500, 'throttled'],
    ['overloaded_error', 200, 'throttled'],
    ['context_length_exceeded', 500, 'rejected'],
  ] as const)
    it(`${code} is ${outcome}, although its status is ${status}`, () => {
      expect(read(status, [undefined, 7, code])).to.include({ outcome, phase: 'response' });
      expect(read(status, [code]).message).to.include(`(${status} ${code})`);
    });

  it('a model that the vendor does not have has a phase of its own', () => {
    expect(read(404)).to.include({ outcome: 'provider_fault', phase: 'model' });
    expect(read(400, ['model_not_found'])).to.include({ outcome: 'provider_fault', phase: 'model' });
  });

  it('show only words that vendors document: any other may repeat a prompt or a key', () => {
    for (const code of ['your prompt: Hello', 'sk_live_secret', 'hello', 'constructor', {}])
      expect(read(400, [code]).message).to.equal('Vendor rejected the request (400)');
    expect(read(400, ['exceed_context_size_error']).message).to.include('context_length_exceeded');
  });

  for (const [headers, seconds] of [
    [{ 'retry-after-ms': '2500', 'retry-after': '9' }, 3],
    [{ 'retry-after': '9' }, 9],
    [{ 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-reset-tokens': '20ms' }, 360],
    [{ 'x-ratelimit-reset-tokens': '1h2m3.5s' }, 3724],
    [{ 'x-ratelimit-reset-tokens': 'soon' }, 1],
    [{}, 1],
  ] as const)
    it(`${JSON.stringify(headers)} is ${seconds} s`, () =>
      expect(read(429, [], headers).retry_after).to.equal(seconds));
});
