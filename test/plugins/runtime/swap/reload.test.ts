import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { orb, providersOf, swapping } from '../swapping.ts';

describe('a reload of the configuration', () => {
  const home = swapping();
  const reload = (): Promise<Answer> => home.post('/config/reload');
  const write = (settings: unknown): void =>
    writeFileSync(
      join(home.platform.home, 'data/platform.json'),
      typeof settings === 'string' ? settings : JSON.stringify(settings),
    );

  it('gives a provider whose configuration changed a new generation and writes no binding', async () => {
    const before = (await home.status()).generation;
    write({
      providers: providersOf({ a: { adapter: 'record/local', config: { name: 'a', note: 'new' } } }),
      bindings: { [orb]: ['a', 'b'] },
    });
    const { status: code, body } = await reload();
    expect(code).to.equal(200);
    expect(body.providers).to.have.length(1);
    expect(body.providers[0]).to.include({ orb_id: orb, provider: 'a', change: 'renewed' });
    const after = await home.status();
    expect(after).to.include({ active_provider: 'a', source: 'config', generation: body.providers[0].generation });
    expect(after.generation).to.be.greaterThan(before);
    expect((await home.run('x')).body.outputs.by).to.equal('a');
  });

  it('says which providers it added, changed and removed though no Orb uses them', async () => {
    const bindings = { [orb]: ['a', 'b'] };
    const spare = (note: string) => ({ spare: { adapter: 'record/local', config: { name: 'spare', note } } });
    const told = async (): Promise<unknown> => {
      const { providers, unused } = (await reload()).body;
      expect(providers).to.deep.equal([]);
      return unused;
    };
    write({ providers: providersOf(spare('one')), bindings });
    expect(await told()).to.deep.equal([{ provider: 'spare', change: 'added' }]);
    expect(await told()).to.deep.equal([]);
    write({ providers: providersOf(spare('two')), bindings });
    expect(await told()).to.deep.equal([{ provider: 'spare', change: 'changed' }]);
    write({ providers: providersOf(), bindings });
    expect(await told()).to.deep.equal([{ provider: 'spare', change: 'removed' }]);
  });

  it('is listed among the swaps, for it changed the configuration', async () => {
    write({
      providers: providersOf({ a: { adapter: 'record/local', config: { name: 'a', note: 'new' } } }),
      bindings: { [orb]: ['a', 'b'] },
    });
    await reload();
    const { swaps } = (await home.platform.call('GET', '/swaps')).body;
    expect(swaps).to.have.length(1);
    expect(swaps[0]).to.include({ from: 'a', to: 'a' }).and.not.to.have.property('changed');
  });

  it('is no swap that a rollback undoes', async () => {
    const { body: swapped } = await home.swap('b');
    write({
      providers: providersOf({ b: { adapter: 'record/local', config: { name: 'b', note: 'new' } } }),
      bindings: { [orb]: ['a', 'b'] },
    });
    expect((await reload()).body.providers[0]).to.include({ provider: 'b', change: 'renewed' });
    const { status: code, body } = await home.post(`/providers/${orb}/rollback`);
    expect([code, body.to, body.rolls_back]).to.deep.equal([200, 'a', swapped.swap_id]);
    expect(await home.status()).to.include({ active_provider: 'a', source: 'swap' });
  });

  it('a faulty file changes nothing and answers all its faults', async () => {
    const before = JSON.stringify(await home.status());
    write({
      providers: { a: { adapter: 'record/nobody' }, b: { adapter: 'record/local', config: {} } },
      colour: 'red',
    });
    const { status: code, body } = await reload();
    expect([code, body.code]).to.deep.equal([422, 'invalid_configuration']);
    const told = body.errors.map(({ detail }: Answer['body']) => detail).join('\n');
    expect(told).to.include('providers.a').and.include('providers.b').and.include('colour');
    expect(JSON.stringify(await home.status())).to.equal(before);
  });

  it('keeps the old generation of a provider that fails its proof', async () => {
    const before = (await home.status()).generation;
    home.recorder.behaviour['a'] = { probe: () => Promise.reject(new Error('no')) };
    write({
      providers: providersOf({ a: { adapter: 'record/local', config: { name: 'a', note: 'new' } } }),
      bindings: { [orb]: ['a', 'b'] },
    });
    const { body } = await reload();
    expect(body.providers[0]).to.include({ provider: 'a', change: 'failed' });
    expect((await home.status()).generation).to.equal(before);
  });

  it('waits for the one before it: what the file says last is what serves', async () => {
    const noted = (note: string): object => ({
      providers: providersOf({ a: { adapter: 'record/local', config: { name: 'a', note } } }),
      bindings: { [orb]: ['a', 'b'] },
    });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: probed, resolve: probing } = Promise.withResolvers<void>();
    home.recorder.behaviour['a'] = {
      probe: () => {
        probing();
        return released;
      },
    };
    write(noted('first'));
    const first = reload();
    await probed;
    write(noted('last'));
    const last = reload();
    // Time enough for the second to get as far as it may.
    for (let round = 0; round < 20; round += 1) await home.status();
    release();
    const answers = await Promise.all([first, last]);
    expect(answers.map(({ body }) => body.providers[0]?.change)).to.deep.equal(['renewed', 'renewed']);
  });

  it('adds and removes standbys, and names what needs a restart', async () => {
    write({
      providers: providersOf(),
      bindings: { [orb]: ['a', 'c'] },
      drain_ms: 1,
      limits: { key: { concurrency: 1 } },
    });
    const { body } = await reload();
    expect(body.providers.map(({ provider, change }: Answer['body']) => [provider, change])).to.deep.equal([
      ['c', 'added'],
      ['b', 'removed'],
    ]);
    expect(body.restart_required).to.deep.equal(['drain_ms', 'limits']);
    expect((await home.status()).providers.map(({ name }: Answer['body']) => name)).to.deep.equal(['a', 'c']);
  });

  it('an edited order takes effect unless a swap has bound a provider', async () => {
    write({ providers: providersOf(), bindings: { [orb]: ['b', 'a'] } });
    await reload();
    expect(await home.status()).to.include({ active_provider: 'b', source: 'config' });
    await home.swap('a');
    write({ providers: providersOf(), bindings: { [orb]: ['b', 'c'] } });
    await reload();
    expect(await home.status()).to.include({ active_provider: 'a', source: 'swap' });
  });

  it('that takes a swapped provider away says that the configuration binds the next one', async () => {
    await home.swap('b');
    write({ providers: providersOf({ b: undefined }), bindings: { [orb]: ['a', 'c'] } });
    await reload();
    expect(await home.status()).to.include({ active_provider: 'a', source: 'config' });
    write({ providers: providersOf({ b: undefined }), bindings: { [orb]: ['c', 'a'] } });
    await reload();
    expect(await home.status()).to.include({ active_provider: 'c', source: 'config' });
  });

  it('keeps one queue in front of a provider: its concurrency holds across the next swap', async () => {
    const limited = { adapter: 'record/local', config: { name: 'a' }, limits: { concurrency: 1, queue: 5 } };
    write({ providers: providersOf({ a: limited }), bindings: { [orb]: ['a', 'b'] } });
    await reload();
    await reload();
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    home.recorder.behaviour['a'] = { execute: () => held };
    const first = home.run('first');
    await until(
      () => home.recorder.calls.length,
      (calls) => calls === 1,
    );
    await home.swap('a');
    const second = home.run('second');
    // Time enough for the second to get as far as it may.
    for (let round = 0; round < 20; round += 1) await home.status();
    expect(home.recorder.calls.map(({ token }) => token)).to.deep.equal(['first']);
    finish();
    expect((await Promise.all([first, second])).map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('that leaves an Orb no provider ends the service of the one that it had', async () => {
    write({ providers: { outbox: { adapter: 'email/outbox' } } });
    const { body } = await reload();
    const gone = body.providers.filter(({ orb_id }: Answer['body']) => orb_id === orb);
    expect(gone.map(({ provider, change }: Answer['body']) => [provider, change])).to.deep.equal([
      ['a', 'removed'],
      ['b', 'removed'],
    ]);
    const { status, body: refused } = await home.run('x');
    expect([status, refused.code, home.recorder.calls.length]).to.deep.equal([503, 'provider_unavailable', 0]);
    write({ providers: providersOf(), bindings: { [orb]: ['b'] } });
    await reload();
    expect((await home.run('x')).body.outputs?.by).to.equal('b');
  });
});
