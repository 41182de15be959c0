import { expect } from 'chai';
import { defineCapability, defineProvider, ProviderError } from '../../../kernel/adapter.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { recordOrb } from '../../helpers/recorder.ts';

const orb = 'test.record@1.0.0';

describe('a silence that a repeated call did not settle', () => {
  let platform: TestPlatform;
  let calls: string[];
  /** What the second call to `a` meets; the first is never answered. */
  let second: ProviderError;

  beforeEach(async () => {
    calls = [];
    const keyed = defineProvider({
      ...{ name: 'keyed', capability: defineCapability({ name: 'record', title: 'Record' }) },
      config: { type: 'object', additionalProperties: false, properties: { name: { type: 'string' } } },
      idempotency: { kind: 'native', window_s: 3600, max_len: 64 },
      open: ({ config: { name = '' } }) => ({
        execute: async ({ token }) => {
          calls.push(name);
          if (name === 'b') return { token, by: name, opening: 1 };
          throw calls.length === 1 ? new ProviderError('unknown', 'the answer was lost', { phase: 'data' }) : second;
        },
      }),
    });
    const provider = (name: string) => ({ adapter: 'record/keyed', config: { name } });
    platform = await startPlatform({
      platform: { providers: { a: provider('a'), b: provider('b') }, bindings: { [orb]: ['a', 'b'] } },
      data: { [`orbs/${orb}.json`]: recordOrb({ timeout_ms: 2000 }) },
      adapters: [keyed],
    });
  });
  afterEach(() => platform.stop());

  const run = (more: object = {}) =>
    platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token: 'x' }, ...more });

  const answers = {
    provider_fault: new ProviderError('provider_fault', 'the account is suspended'),
    throttled: new ProviderError('throttled', 'slow down', { retry_after: 60 }),
    not_sent: new ProviderError('not_sent', 'connection refused', { phase: 'connect' }),
  };
  for (const [outcome, error] of Object.entries(answers)) {
    it(`is not passed on to another provider after ${outcome}`, async () => {
      second = error;
      const { body, status } = await run();
      expect([status, body.code]).to.deep.equal([504, 'outcome_unknown']);
      expect(calls).not.to.include('b');
    });
  }

  it('is passed on when the caller said at_least_once', async () => {
    second = answers.provider_fault;
    const { body, status } = await run({ delivery: 'at_least_once' });
    expect([status, body.outputs?.by, calls]).to.deep.equal([200, 'b', ['a', 'a', 'b']]);
  });
});
