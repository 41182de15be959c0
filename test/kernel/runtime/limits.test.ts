import { expect } from 'chai';
import { definePlugin } from '../../../kernel/index.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';

const orb = 'test.record@1.0.0';

describe('limits', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  afterEach(() => platform.stop());

  async function start(settings: object, data: Record<string, object> = {}, more: object = {}): Promise<void> {
    recorder = createRecorder();
    platform = await startPlatform({
      platform: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } }, ...settings },
      data: { [`orbs/${orb}.json`]: recordOrb(), ...data },
      adapters: [recorder.adapter],
      ...more,
    });
  }
  const run = (key?: string, orbiset = 'default'): Promise<Answer> =>
    platform.call(
      'POST',
      `/orbisets/${orbiset}/execute`,
      { orb_id: orb, inputs: { token: 'x' } },
      key ?? platform.adminKey,
    );
  const codes = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();

  it('a fresh installation limits no key', async () => {
    await start({});
    expect(new Set(codes(await Promise.all(Array.from({ length: 200 }, () => run()))))).to.deep.equal(new Set([200]));
  });

  it('a rate per key: 429 with RateLimit and Retry-After, no run; another key is not touched', async () => {
    await start({ limits: { key: { rate: { count: 3, window_s: 60 } } } });
    const other = await platform.key({ scopes: ['orbs:execute'] });
    expect(codes(await Promise.all(Array.from({ length: 5 }, () => run())))).to.deep.equal([200, 200, 200, 429, 429]);
    const { body, headers } = await run();
    expect([body.code, body.run_id, body.retryable]).to.deep.equal(['rate_limited', undefined, true]);
    expect(headers.get('ratelimit-policy')).to.equal('"key";q=3;w=60');
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    const served = await run(other);
    expect(served.status).to.equal(200);
    expect(served.headers.get('ratelimit')).to.match(/^"key";r=2;t=\d+$/);
    expect(served.headers.get('ratelimit-policy')).to.equal('"key";q=3;w=60');
    expect(recorder.calls).to.have.length(4);
  });

  it('a rate per Orbiset holds for all its callers together', async () => {
    await start(
      {},
      {
        'orbisets/small.json': {
          id: 'small',
          tenant: 'default',
          orbs: ['*'],
          limits: { rate: { count: 2, window_s: 60 } },
        },
      },
    );
    const other = await platform.key({ scopes: ['orbs:execute'] });
    expect([
      (await run(undefined, 'small')).status,
      (await run(other, 'small')).status,
      (await run(undefined, 'small')).status,
    ]).to.deep.equal([200, 200, 429]);
    expect((await run()).status).to.equal(200);
  });

  it('a concurrency per key: 429 while it is used up, and free again after', async () => {
    await start({ limits: { key: { concurrency: 2 } } });
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    recorder.behaviour['a'] = { execute: () => held };
    const running = [run(), run()];
    while (recorder.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect((await run()).status).to.equal(429);
    finish();
    expect(codes(await Promise.all(running))).to.deep.equal([200, 200]);
    expect((await run()).status).to.equal(200);
  });

  it("a provider's concurrency is never exceeded; what fits neither it nor its queue is 503 overloaded, ours and not the caller's", async () => {
    await start({
      providers: { a: { adapter: 'record/local', config: { name: 'a' }, limits: { concurrency: 1, queue: 2 } } },
    });
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    recorder.behaviour['a'] = { execute: () => held };
    const first = run();
    while (recorder.calls.length < 1) await new Promise((resolve) => setImmediate(resolve));
    const waiting = [run(), run()];
    let refused = await run();
    // The two above may still be on their way to the queue.
    while (refused.status === 200) refused = await run();
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).to.deep.equal([
      503,
      'overloaded',
      '1',
    ]);
    expect(recorder.calls).to.have.length(1);
    finish();
    expect(codes(await Promise.all([first, ...waiting]))).to.deep.equal([200, 200, 200]);
  });

  it('a key whose runs are denied may not write more than ten denials a second', async () => {
    const deny = definePlugin({
      name: 'deny',
      start: ({ hooks }) => {
        hooks.authorize.tap('deny', () => ({
          allow: false,
          policies: ['no'],
          reasons: [{ code: 'policy_denied', message: 'never' }],
          warns: 0,
          shadow_denies: 0,
        }));
        return {};
      },
    });
    await start({ authorize: 'deny' }, {}, { plugins: [deny] });
    const first = await run();
    expect([first.status, first.body.code]).to.deep.equal([403, 'access_denied']);
    expect(first.body.reasons).to.deep.equal([{ code: 'policy_denied', message: 'never' }]);
    const answers = await Promise.all(Array.from({ length: 60 }, () => run()));
    expect(answers.filter(({ status }) => status === 429)).not.to.have.length(0);
    expect(answers.every(({ status }) => status === 403 || status === 429)).to.equal(true);
    expect(recorder.calls).to.have.length(0);
  });
});
