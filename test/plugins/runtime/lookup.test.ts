import { expect } from 'chai';
import { defineCapability, defineProvider } from '../../../kernel/adapter.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { recordOrb } from '../../helpers/recorder.ts';

const orb = 'test.record@1.0.0';

describe('a look-up during a run', () => {
  let platform: TestPlatform;
  let calls: string[];
  let taken: Set<string>;
  /** What becomes of a call to `a`. */
  let first: (key: string) => Promise<void>;

  beforeEach(async () => {
    calls = [];
    taken = new Set();
    const asked = defineProvider({
      ...{ name: 'asked', capability: defineCapability({ name: 'record', title: 'Record' }) },
      config: { type: 'object', additionalProperties: false, properties: { name: { type: 'string' } } },
      idempotency: { kind: 'lookup' },
      open: ({ config: { name = '' } }) => ({
        execute: async ({ token }, { idempotency_key }) => {
          calls.push(name);
          if (name === 'a') await first(idempotency_key);
          return { token, by: name, opening: 1 };
        },
        lookup: async (key) => (taken.has(key) ? { token: 'x', by: name, opening: 1 } : undefined),
      }),
    });
    const provider = (name: string) => ({ adapter: 'record/asked', config: { name } });
    platform = await startPlatform({
      platform: { providers: { a: provider('a'), b: provider('b') }, bindings: { [orb]: ['a', 'b'] } },
      data: { [`orbs/${orb}.json`]: recordOrb({ timeout_ms: 3000 }) },
      adapters: [asked],
    });
  });
  afterEach(() => platform.stop());

  const run = () => platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token: 'x' } });

  it('completes what the provider took though its answer was lost', async () => {
    first = (key) => {
      taken.add(key);
      return Promise.reject(new Error('the answer was lost'));
    };
    const { body, status } = await run();
    expect([status, body.outputs?.by, calls]).to.deep.equal([200, 'a', ['a']]);
  });

  it('lets the run go on when the provider took nothing', async () => {
    first = () => Promise.reject(new Error('broken'));
    const { body, status } = await run();
    expect([status, body.outputs?.by, calls.at(-1)]).to.deep.equal([200, 'b', 'b']);
  });

  it('proves no absence while the call is still under way: it may yet arrive', async () => {
    first = () => new Promise(() => undefined);
    const { body, status } = await run();
    expect([status, body.code, calls]).to.deep.equal([504, 'outcome_unknown', ['a']]);
  });
});
