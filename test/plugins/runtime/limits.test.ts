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
    // Whichever of them comes last to the queue.
    const others = [run(), run(), run()];
    const refused = await Promise.race(others);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).to.deep.equal([
      503,
      'overloaded',
      '1',
    ]);
    expect(recorder.calls).to.have.length(1);
    finish();
    expect(codes(await Promise.all([first, ...others]))).to.deep.equal([200, 200, 200, 503]);
  });

  const closed = { 'orbisets/closed.json': { id: 'closed', tenant: 'default', orbs: ['*'] } };
  const asked: boolean[] = [];
  const deny = definePlugin({
    name: 'deny',
    start: ({ hooks }) => {
      hooks.authorize.tap('deny', (request) => {
        const allow = !JSON.stringify(request).includes('"closed"');
        asked.push(allow);
        const reasons = allow ? [] : [{ code: 'policy_denied', message: 'never' }];
        return { allow, policies: ['no'], reasons, warns: 0, shadow_denies: 0 };
      });
      return {};
    },
  });
  const receipts = async (status: string): Promise<number> => {
    const { body } = await platform.call('GET', `/receipts?status=${status}&limit=100`);
    return body.receipts.length;
  };

  it('a key may not write more than ten denials a second: beyond, 429 without a run or a receipt', async () => {
    await start({ authorize: 'deny' }, closed, { plugins: [deny] });
    const first = await run(undefined, 'closed');
    expect([first.status, first.body.code]).to.deep.equal([403, 'access_denied']);
    expect(first.body.reasons).to.deep.equal([{ code: 'policy_denied', message: 'never' }]);
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 60 }, () => run(undefined, 'closed')));
    const seconds = Math.ceil((performance.now() - begun) / 1000) + 1;
    const refused = answers.filter(({ status }) => status === 429);
    const denied = answers.filter(({ status }) => status === 403);
    expect(refused.length + denied.length).to.equal(60);
    expect(denied.length).to.be.within(9, 10 * seconds);
    for (const { body, headers } of refused) {
      expect([body.code, body.run_id, body.receipt]).to.deep.equal(['rate_limited', undefined, undefined]);
      expect(headers.get('retry-after')).to.equal('1');
    }
    expect(await receipts('denied')).to.equal(denied.length + 1);
    expect(recorder.calls).to.have.length(0);
  });

  it('allowed runs of a key are not touched by its denials: the limit comes after the decision', async () => {
    await start({ authorize: 'deny' }, closed, { plugins: [deny] });
    asked.length = 0;
    const both = Array.from({ length: 40 }, () => [run(undefined, 'closed'), run()]).flat();
    const answers = await Promise.all(both);
    expect(answers.some(({ status }) => status === 429)).to.equal(true);
    expect(new Set(answers.filter((_, at) => at % 2 === 1).map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(await receipts('completed')).to.equal(40);
    // Each was decided, those that were answered 429 too.
    expect(asked.length).to.equal(80);
  });
});
