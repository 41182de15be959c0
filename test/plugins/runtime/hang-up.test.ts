import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from '../../../kernel/adapter.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';
import { until } from '../../helpers/until.ts';

const orb = 'test.record@1.0.0';
const places = 2;

describe('callers that hang up', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  beforeEach(async () => {
    recorder = createRecorder();
    const limits = { concurrency: places, queue: 4 };
    platform = await startPlatform({
      platform: {
        providers: { a: { adapter: 'record/local', config: { name: 'a' }, limits } },
        limits: { key: { concurrency: 3 * places } },
      },
      data: {
        [`orbs/${orb}.json`]: recordOrb(),
        'orbisets/small.json': { id: 'small', tenant: 'default', orbs: ['*'], limits: { concurrency: 2 * places } },
      },
      adapters: [recorder.adapter],
    });
  });
  afterEach(() => platform.stop());

  const send = (token: string, more: object = {}, init: RequestInit = {}): Promise<Response> =>
    fetch(`${platform.url}/orbisets/small/execute`, {
      method: 'POST',
      ...init,
      headers: {
        authorization: `Bearer ${platform.adminKey}`,
        'content-type': 'application/json',
        'idempotency-key': token,
      },
      body: JSON.stringify({ orb_id: orb, inputs: { token }, ...more }),
    });

  it('find the run they began finished, with its receipt, by the same key', async () => {
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    recorder.behaviour['a'] = { execute: () => held };
    const hung = new AbortController();
    const gone = send('x', {}, { signal: hung.signal }).catch(() => 'gone');
    await until(
      () => recorder.calls.length,
      (calls) => calls === 1,
    );
    hung.abort();
    expect(await gone).to.equal('gone');
    finish();
    const again = await until(
      () => send('x'),
      ({ status }) => status !== 409,
    );
    const { run_id, receipt } = (await again.json()) as Answer['body'];
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    expect((await platform.call('GET', `/receipts/${receipt.receipt_id}`)).status).to.equal(200);
    expect((await platform.call('GET', `/runs/${run_id}`)).body.status).to.equal('completed');
    expect(recorder.calls).to.have.length(1);
  });

  it('in a storm of failures, refusals and deadlines leave every place free again', async () => {
    const fates = [
      () => undefined,
      () => undefined,
      () => Promise.reject(new ProviderError('rejected', 'no')),
      () => Promise.reject(new Error('untyped')),
      () => sleep(30),
      () => new Promise<void>(() => undefined),
    ];
    recorder.behaviour['a'] = { execute: (token) => fates[Number(token) % fates.length]?.() };
    const storm = Array.from({ length: 60 }, async (_, index) => {
      const hung = new AbortController();
      await sleep(index * 5);
      const answer = send(String(index), { timeout_ms: 50 }, { signal: hung.signal }).catch(() => undefined);
      if (index % 3 === 0) setTimeout(() => hung.abort(), index % 20);
      await (await answer)?.text();
    });
    await Promise.all(storm);
    // The runs of those that hung up end by their own deadline and its grace.
    await sleep(500);
    // Whoever still held a place would keep one of these out.
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    recorder.behaviour['a'] = { execute: () => held };
    const before = recorder.calls.length;
    const last = Array.from({ length: 2 * places }, (_, index) => send(`last-${index}`));
    await until(
      () => recorder.calls.length - before,
      (calls) => calls === places,
    );
    finish();
    expect((await Promise.all(last)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
  });
});
