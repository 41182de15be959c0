import { expect } from 'chai';
import { writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';

const orb = 'test.record@1.0.0';
const path = `/providers/${orb}`;

describe('swaps', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  let secretFile: string;

  const providers = (more: object = {}) => ({
    a: { adapter: 'record/local', config: { name: 'a' } },
    b: { adapter: 'record/local', config: { name: 'b' } },
    c: { adapter: 'record/local', config: { name: 'c' } },
    sealed: { adapter: 'record/local', config: { name: 'sealed', secret: { $file: 'secret.txt' } } },
    outbox: { adapter: 'email/outbox' },
    ...more,
  });
  async function start(more: Partial<PlatformOptions> = {}, settings: object = {}): Promise<void> {
    recorder = createRecorder();
    platform = await startPlatform({
      platform: { providers: providers(), bindings: { [orb]: ['a', 'b'] }, ...settings },
      data: { [`orbs/${orb}.json`]: recordOrb(), 'secret.txt': {} },
      adapters: [recorder.adapter],
      ...more,
    });
  }
  beforeEach(async () => {
    const home = undefined;
    recorder = createRecorder();
    // The referenced file must be there when the platform is loaded.
    const { mkdtempSync, mkdirSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const folder = home ?? mkdtempSync(join(tmpdir(), 'orb-swap-'));
    mkdirSync(join(folder, 'data'), { recursive: true });
    secretFile = join(folder, 'secret.txt');
    writeFileSync(secretFile, 'hidden');
    await start({ home: folder });
  });
  afterEach(() => platform.stop());

  const run = (token: string): Promise<Answer> =>
    platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token } });
  const swap = (provider: string, headers: Record<string, string> = {}): Promise<Answer> =>
    post(`${path}/swap`, { provider }, headers);
  async function post(to: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const response = await fetch(platform.url + to, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${platform.adminKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
  const status = async (): Promise<Answer['body']> => (await platform.call('GET', `${path}/status`)).body;
  async function until<T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await read();
      if (done(value)) return value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const completed = (swapId: string) =>
    until(
      async () => (await platform.call('GET', `/swaps/${swapId}`)).body,
      ({ state }) => state === 'completed',
    );

  it('the status shows who serves, who stands by, and nothing else', async () => {
    const { headers, body } = await platform.call('GET', `${path}/status`);
    expect(body).to.include({ orb_id: orb, active_provider: 'a', source: 'config', swap_status: 'stable' });
    expect(body.providers.map(({ name, role, health }: Answer['body']) => [name, role, health])).to.deep.equal([
      ['a', 'active', 'up'],
      ['b', 'standby', 'up'],
    ]);
    expect(headers.get('etag')).to.equal(`"${body.generation}"`);
  });

  it('a swap binds the new provider by a new generation; the old one stays as standby; runs go on', async () => {
    const before = (await status()).generation;
    expect((await run('one')).body.outputs.by).to.equal('a');
    const { status: code, body } = await swap('b');
    expect(code).to.equal(200);
    expect(body).to.include({ orb_id: orb, from: 'a', to: 'b', state: 'completed' });
    expect(body.generation).to.be.greaterThan(before);
    expect((await run('two')).body.outputs.by).to.equal('b');
    const after = await status();
    expect(after).to.include({
      active_provider: 'b',
      source: 'swap',
      swap_status: 'stable',
      generation: body.generation,
    });
    expect(after.providers.map(({ name, role }: Answer['body']) => [name, role])).to.deep.equal([
      ['b', 'active'],
      ['a', 'standby'],
    ]);
    expect(after.last_swap.swap_id).to.equal(body.swap_id);
  });

  it("a run's receipt names the generation and the swap that bound it; the swap is attested", async () => {
    const { body: swapped } = await swap('c');
    const { body } = await run('x');
    const { predicate } = (await platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body.statement;
    expect(predicate.facts.provider).to.deep.include({
      name: 'c',
      generation: swapped.generation,
      swap_id: swapped.swap_id,
    });
    expect(predicate.facts.attempts[0]).to.include({ provider: 'c', generation: swapped.generation });
    const attested = (await platform.call('GET', `/receipts/${swapped.receipt_id}`)).body;
    expect(attested.signature_valid).to.equal(true);
    expect(attested.statement.predicateType).to.equal('urn:agent-orb:swap:v1');
    expect(attested.statement.predicate.facts).to.include({ from: 'a', to: 'c', generation: swapped.generation });
    expect(attested.statement.predicate.facts.principal).to.match(/^prn_/);
  });

  it('a provider outside the order that was swapped away from is closed', async () => {
    const { body } = await swap('c');
    const back = await swap('a');
    await completed(back.body.swap_id);
    expect((await status()).providers.map(({ name }: Answer['body']) => name)).to.deep.equal(['a', 'b']);
    expect(body.to).to.equal('c');
    expect(recorder.open.size).to.equal(2);
  });

  it('rollback swaps back, says what it undoes, and the undone swap becomes rolled_back', async () => {
    const { body: first } = await swap('b');
    const { status: code, body } = await post(`${path}/rollback`, undefined, {});
    expect([code, body.to, body.rolls_back]).to.deep.equal([200, 'a', first.swap_id]);
    expect((await platform.call('GET', `/swaps/${first.swap_id}`)).body.state).to.equal('rolled_back');
    expect((await run('x')).body.outputs.by).to.equal('a');
  });

  it('rollback without a swap is refused', async () => {
    expect((await post(`${path}/rollback`, undefined, {})).body.code).to.equal('invalid_provider');
  });

  it('If-Match lets only the bound generation pass, also after a swap back to the same provider', async () => {
    const first = `"${(await status()).generation}"`;
    expect((await swap('b', { 'if-match': first })).status).to.equal(200);
    const stale = await swap('a', { 'if-match': first });
    expect([stale.status, stale.body.code]).to.deep.equal([412, 'precondition_failed']);
    await swap('a');
    expect((await swap('b', { 'if-match': first })).status).to.equal(412);
  });

  it('a second swap is refused until the first has switched; a drain does not block', async () => {
    let proceed = (): void => undefined;
    recorder.behaviour['b'] = { probe: () => new Promise((resolve) => (proceed = resolve)) };
    const first = swap('b');
    await until(status, ({ last_swap }) => last_swap?.state === 'probing');
    const second = await swap('c');
    expect([second.status, second.body.code]).to.deep.equal([409, 'swap_in_progress']);
    expect((await status()).swap_status).to.equal('swapping');
    proceed();
    expect((await first).status).to.equal(200);
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    recorder.behaviour['b'] = { execute: () => held };
    const slow = run('slow');
    await until(
      async () => recorder.calls.length,
      (calls) => calls === 1,
    );
    const third = await swap('c');
    expect([third.status, third.body.state]).to.deep.equal([200, 'draining']);
    expect((await status()).swap_status).to.equal('draining');
    expect((await status()).providers.find(({ role }: Answer['body']) => role === 'draining')).to.include({
      name: 'b',
      in_flight: 1,
    });
    expect((await swap('a')).status).to.equal(200);
    finish();
    expect((await slow).body.outputs.by).to.equal('b');
    await completed(third.body.swap_id);
    expect((await status()).swap_status).to.equal('stable');
  });

  const failing: readonly {
    readonly name: string;
    readonly provider: string;
    readonly arrange?: () => void;
    readonly is: readonly [number, string];
  }[] = [
    { name: 'an unknown name', provider: 'nobody', is: [422, 'invalid_provider'] },
    { name: 'another capability', provider: 'outbox', is: [422, 'invalid_provider'] },
    { name: 'a missing secret', provider: 'sealed', arrange: () => rmSync(secretFile), is: [422, 'invalid_provider'] },
    {
      name: 'an open that throws',
      provider: 'c',
      arrange: () => void (recorder.behaviour['c'] = { open: () => Promise.reject(new Error('refused')) }),
      is: [502, 'probe_failed'],
    },
    {
      name: 'an open that hangs',
      provider: 'c',
      arrange: () => void (recorder.behaviour['c'] = { open: () => new Promise(() => undefined) }),
      is: [502, 'probe_failed'],
    },
    {
      name: 'a probe that fails',
      provider: 'c',
      arrange: () => void (recorder.behaviour['c'] = { probe: () => Promise.reject(new Error('no')) }),
      is: [502, 'probe_failed'],
    },
    {
      name: 'a probe that hangs',
      provider: 'c',
      arrange: () => void (recorder.behaviour['c'] = { probe: () => new Promise(() => undefined) }),
      is: [502, 'probe_failed'],
    },
  ];
  for (const { name, provider, arrange, is } of failing) {
    it(`a candidate with ${name} leaves routing as it was: ${is[0]} ${is[1]}`, async () => {
      arrange?.();
      const routing = async () => {
        const { last_swap: _, ...rest } = await status();
        return JSON.stringify(rest);
      };
      const before = await routing();
      const { status: code, body } = await swap(provider);
      expect([code, body.code]).to.deep.equal([...is]);
      expect(await routing()).to.equal(before);
      expect((await run('x')).body.outputs.by).to.equal('a');
      if (is[0] === 502) {
        const failed = (await platform.call('GET', `/swaps/${body.swap_id}`)).body;
        expect(failed).to.include({ state: 'failed', to: provider });
        const { predicate } = (await platform.call('GET', `/receipts/${failed.receipt_id}`)).body.statement;
        expect(predicate.facts).to.include({ state: 'failed', to: provider });
        expect(JSON.stringify(predicate)).not.to.include('refused');
      }
      // What hangs in open has given nothing back yet; all else is released.
      if (name !== 'an open that hangs') expect(recorder.open.size).to.equal(2);
    });
  }

  it('a late opening is closed when it comes after all', async () => {
    let proceed = (): void => undefined;
    recorder.behaviour['c'] = { open: () => new Promise((resolve) => (proceed = resolve)) };
    expect((await swap('c')).status).to.equal(502);
    proceed();
    await until(
      async () => recorder.open.size,
      (open) => open === 2,
    );
  });

  it('a restart comes back on the swapped provider, with a greater generation', async () => {
    const { body } = await swap('b');
    const { home } = platform;
    await platform.stop({ keep: true });
    await start({ home });
    const after = await status();
    expect(after).to.include({ active_provider: 'b', source: 'swap' });
    expect(after.generation).to.be.greaterThan(body.generation);
    expect((await platform.call('GET', `/swaps/${body.swap_id}`)).body.state).to.equal('completed');
  });

  it('swaps are listed newest first by cursor', async () => {
    for (const provider of ['b', 'a', 'b']) await swap(provider);
    const first = (await platform.call('GET', `/swaps?limit=2&orb_id=${orb}`)).body;
    const rest = (await platform.call('GET', `/swaps?limit=2&orb_id=${orb}&cursor=${first.next_cursor}`)).body;
    expect([...first.swaps, ...rest.swaps].map(({ to }: Answer['body']) => to)).to.deep.equal(['b', 'a', 'b']);
    expect(rest.next_cursor).to.equal(undefined);
    expect((await platform.call('GET', '/swaps/swp_nothing')).body.code).to.equal('swap_not_found');
  });

  it('needs providers:swap to swap and providers:read to look', async () => {
    const reader = await platform.key({ scopes: ['providers:read'] });
    expect((await platform.call('GET', `${path}/status`, undefined, reader)).status).to.equal(200);
    expect((await platform.call('POST', `${path}/swap`, { provider: 'b' }, reader)).body.code).to.equal(
      'insufficient_scope',
    );
  });

  describe('a slow drain', () => {
    it('ends the run by the outcome table when its patience is over, and resends nothing', async () => {
      const { home } = platform;
      await platform.stop({ keep: true });
      await start({ home }, { swap_drain_ms: 50 });
      recorder.behaviour['a'] = { execute: () => new Promise(() => undefined) };
      const slow = run('slow');
      await until(
        async () => recorder.calls.length,
        (calls) => calls === 1,
      );
      const { body } = await swap('b');
      expect(body.state).to.equal('draining');
      const { status: code, body: answer } = await slow;
      expect([code, answer.code, answer.retryable]).to.deep.equal([504, 'outcome_unknown', false]);
      expect(recorder.calls.map(({ token }) => token)).to.deep.equal(['slow']);
      const { predicate } = (await platform.call('GET', `/receipts/${answer.receipt.receipt_id}`)).body.statement;
      expect(predicate.facts.attempts[0]).to.include({ provider: 'a', outcome: 'unknown', phase: 'drain' });
      await completed(body.swap_id);
    });
  });

  describe('a reload of the configuration', () => {
    const reload = (): Promise<Answer> => post('/config/reload', undefined, {});
    const write = (settings: unknown): void =>
      writeFileSync(
        join(platform.home, 'data/platform.json'),
        typeof settings === 'string' ? settings : JSON.stringify(settings),
      );

    it('gives a provider whose configuration changed a new generation and writes no binding', async () => {
      const before = (await status()).generation;
      write({
        providers: providers({ a: { adapter: 'record/local', config: { name: 'a', note: 'new' } } }),
        bindings: { [orb]: ['a', 'b'] },
      });
      const { status: code, body } = await reload();
      expect(code).to.equal(200);
      expect(body.providers).to.have.length(1);
      expect(body.providers[0]).to.include({ orb_id: orb, provider: 'a', change: 'renewed' });
      const after = await status();
      expect(after).to.include({ active_provider: 'a', source: 'config', generation: body.providers[0].generation });
      expect(after.generation).to.be.greaterThan(before);
      expect((await run('x')).body.outputs.by).to.equal('a');
    });

    it('a faulty file changes nothing and answers all its faults', async () => {
      const before = JSON.stringify(await status());
      write({
        providers: { a: { adapter: 'record/nobody' }, b: { adapter: 'record/local', config: {} } },
        colour: 'red',
      });
      const { status: code, body } = await reload();
      expect([code, body.code]).to.deep.equal([422, 'invalid_configuration']);
      const told = body.errors.map(({ detail }: Answer['body']) => detail).join('\n');
      expect(told).to.include('providers.a').and.include('providers.b').and.include('colour');
      expect(JSON.stringify(await status())).to.equal(before);
    });

    it('keeps the old generation of a provider that fails its proof', async () => {
      const before = (await status()).generation;
      recorder.behaviour['a'] = { probe: () => Promise.reject(new Error('no')) };
      write({
        providers: providers({ a: { adapter: 'record/local', config: { name: 'a', note: 'new' } } }),
        bindings: { [orb]: ['a', 'b'] },
      });
      const { body } = await reload();
      expect(body.providers[0]).to.include({ provider: 'a', change: 'failed' });
      expect((await status()).generation).to.equal(before);
    });

    it('adds and removes standbys, and names what needs a restart', async () => {
      write({ providers: providers(), bindings: { [orb]: ['a', 'c'] }, drain_ms: 1 });
      const { body } = await reload();
      expect(body.providers.map(({ provider, change }: Answer['body']) => [provider, change])).to.deep.equal([
        ['c', 'added'],
        ['b', 'removed'],
      ]);
      expect(body.restart_required).to.deep.equal(['drainMs']);
      expect((await status()).providers.map(({ name }: Answer['body']) => name)).to.deep.equal(['a', 'c']);
    });

    it('an edited order takes effect unless a swap has bound a provider', async () => {
      write({ providers: providers(), bindings: { [orb]: ['b', 'a'] } });
      await reload();
      expect(await status()).to.include({ active_provider: 'b', source: 'config' });
      await swap('a');
      write({ providers: providers(), bindings: { [orb]: ['b', 'c'] } });
      await reload();
      expect(await status()).to.include({ active_provider: 'a', source: 'swap' });
    });
  });
});
