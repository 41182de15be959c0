import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';
import { storedBytes } from '../../helpers/stored.ts';

const orb = 'test.record@1.0.0';
// 1,000 in the soak.
const many = Number(process.env['REPEATED_CALLS'] ?? 200);
const keys = many / 10;

interface Got {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of any shape are looked into
  readonly body: any;
}

describe('Idempotency-Key', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  const options = () => ({
    platform: {
      providers: {
        a: { adapter: 'record/local', config: { name: 'a' } },
        b: { adapter: 'record/local', config: { name: 'b' } },
      },
      bindings: { [orb]: ['a'] },
    },
    data: { [`orbs/${orb}.json`]: recordOrb() },
    adapters: [recorder.adapter],
  });
  beforeEach(async () => {
    recorder = createRecorder();
    platform = await startPlatform(options());
  });
  afterEach(() => platform.stop());

  async function post(path: string, key: string | undefined, body: object, token = platform.adminKey): Promise<Got> {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    const response = await fetch(platform.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    return {
      status: response.status,
      text,
      replayed: response.headers.get('idempotent-replayed') === 'true',
      body: JSON.parse(text),
    };
  }
  const run = (key: string | undefined, token: string, caller?: string): Promise<Got> =>
    post('/orbisets/default/execute', key, { orb_id: orb, inputs: { token } }, caller);

  it('the same key and body is answered again, byte for byte, and nothing is dispatched', async () => {
    const first = await run('k1', 'x');
    const again = await run('"k1"', 'x');
    expect([first.status, first.replayed, again.status, again.replayed]).to.deep.equal([200, false, 200, true]);
    expect(again.text).to.equal(first.text);
    expect(recorder.calls).to.have.length(1);
  });

  it('the same key with another body is refused', async () => {
    await run('k1', 'x');
    const other = await run('k1', 'y');
    expect([other.status, other.body.code]).to.deep.equal([422, 'idempotency_mismatch']);
    expect(recorder.calls).to.have.length(1);
  });

  it('a key whose work goes on is told so, with the run', async () => {
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    recorder.behaviour['a'] = { execute: () => held };
    const first = run('k1', 'x');
    while (recorder.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = await run('k1', 'x');
    expect([second.status, second.body.code, second.body.retryable]).to.deep.equal([
      409,
      'idempotency_in_progress',
      true,
    ]);
    finish();
    expect(second.body.run_id).to.equal((await first).body.run_id);
    expect((await run('k1', 'x')).replayed).to.equal(true);
  });

  it('a failure after the dispatch is kept; what was never sent is not', async () => {
    recorder.behaviour['a'] = { execute: () => Promise.reject(new Error('broken')) };
    const failed = await run('k1', 'x');
    const again = await run('k1', 'x');
    expect([failed.body.code, again.body.code, again.replayed]).to.deep.equal([
      'outcome_unknown',
      'outcome_unknown',
      true,
    ]);
    expect([again.body.run_id, again.body.receipt]).to.deep.equal([failed.body.run_id, failed.body.receipt]);
    expect([failed.body.run_status, again.body.run_status]).to.deep.equal(['indeterminate', 'indeterminate']);
    expect(recorder.calls).to.have.length(1);
    const { ProviderError } = await import('../../../kernel/adapter.ts');
    recorder.behaviour['a'] = { execute: () => Promise.reject(new ProviderError('not_sent', 'refused')) };
    const unsent = await run('k2', 'y');
    recorder.behaviour['a'] = undefined;
    const sent = await run('k2', 'y');
    expect([unsent.status, sent.status, sent.replayed]).to.deep.equal([503, 200, false]);
    expect(sent.body.run_id).not.to.equal(unsent.body.run_id);
  });

  it('a key is free again when the provider proves that it took nothing', async () => {
    const { defineCapability, defineProvider } = await import('../../../kernel/adapter.ts');
    const down = { is: true };
    const asked = defineProvider({
      ...{ name: 'asked', capability: defineCapability({ name: 'record', title: 'Record' }), sandbox: false },
      config: { type: 'object', additionalProperties: false, properties: {} },
      idempotency: { kind: 'lookup' },
      open: () => ({
        execute: ({ token }) =>
          down.is ? Promise.reject(new Error('broken')) : Promise.resolve({ token, by: 'asked', opening: 1 }),
        lookup: () => Promise.resolve(undefined),
      }),
    });
    await platform.stop();
    platform = await startPlatform({
      ...options(),
      platform: { providers: { asked: { adapter: 'record/asked', config: {} } } },
      adapters: [asked],
    });
    const refused = await run('k1', 'x');
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'provider_unavailable']);
    down.is = false;
    const served = await run('k1', 'x');
    expect([served.status, served.replayed]).to.deep.equal([200, false]);
  });

  it('validation and unknown ids do not use a key up', async () => {
    expect((await post('/orbisets/default/execute', 'k1', { orb_id: orb, inputs: {} })).status).to.equal(422);
    expect((await post('/orbisets/nowhere/execute', 'k1', { orb_id: orb, inputs: { token: 'x' } })).status).to.equal(
      404,
    );
    expect((await run('k1', 'x')).status).to.equal(200);
  });

  it('another principal, and another path, have keys of their own', async () => {
    const other = await platform.key({ scopes: ['orbs:execute'] });
    const mine = await run('k1', 'x');
    const theirs = await run('k1', 'x', other);
    expect([theirs.status, theirs.replayed]).to.deep.equal([200, false]);
    expect(theirs.body.run_id).not.to.equal(mine.body.run_id);
    expect((await post(`/providers/${orb}/swap`, 'k1', { provider: 'b' })).status).to.equal(200);
  });

  it('a malformed key is refused', async () => {
    for (const key of ['', 'a b', 'x'.repeat(256)]) expect((await run(key, 'x')).status, key).to.equal(400);
  });

  it('a swap under the same key is done once, and answered again byte for byte', async () => {
    const first = await post(`/providers/${orb}/swap`, 's1', { provider: 'b' });
    const again = await post(`/providers/${orb}/swap`, 's1', { provider: 'b' });
    expect([again.status, again.replayed]).to.deep.equal([200, true]);
    expect(again.text).to.equal(first.text);
    recorder.behaviour['a'] = { probe: () => Promise.reject(new Error('no')) };
    const failed = await post(`/providers/${orb}/swap`, 's2', { provider: 'a' });
    recorder.behaviour['a'] = undefined;
    const repeated = await post(`/providers/${orb}/swap`, 's2', { provider: 'a' });
    expect([failed.status, repeated.status, repeated.body.swap_id]).to.deep.equal([502, 502, failed.body.swap_id]);
  });

  it('answers outlive a restart, sealed at rest', async () => {
    const first = await run('k1', 'needle-in-the-store');
    const { home } = platform;
    await platform.stop({ keep: true });
    expect((await storedBytes(home)).includes('needle-in-the-store')).to.equal(false);
    platform = await startPlatform({ ...options(), home });
    const again = await run('k1', 'needle-in-the-store');
    expect([again.replayed, again.text]).to.deep.equal([true, first.text]);
  });

  it(`${many} concurrent requests with ${keys} keys: ${keys} dispatches, every replay byte-identical`, async function () {
    this.timeout(60_000);
    const answers = await Promise.all(
      Array.from({ length: many }, async (_, index) => {
        const key = `key-${index % keys}`;
        for (;;) {
          const got = await run(key, key);
          if (got.status !== 409) return { key, ...got };
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }),
    );
    expect(recorder.calls).to.have.length(keys);
    expect(new Set(recorder.calls.map(({ token }) => token)).size).to.equal(keys);
    for (let key = 0; key < keys; key++) {
      const same = answers.filter((answer) => answer.key === `key-${key}`);
      expect(new Set(same.map(({ text }) => text)).size).to.equal(1);
      expect(same.filter(({ replayed }) => !replayed)).to.have.length(1);
    }
  });
});
