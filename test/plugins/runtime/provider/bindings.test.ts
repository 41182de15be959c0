import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { Orb } from '../../../../plugins/runtime/catalog/orb.ts';
import type { Provider } from '../../../../kernel/provider/adapter.ts';
import { Bindings, type BindingOptions } from '../../../../plugins/runtime/provider/bindings.ts';

const orbNamed = (orb_id: string, capability = 'record') => ({ orb_id, manifest: { capability } }) as Orb;
const [one, two] = [orbNamed('one@1.0.0'), orbNamed('two@1.0.0')];
const limits = { concurrency: 1, queue: 1 };

describe('the providers of Orbs', () => {
  /** Names of the openings that are open, and how often each was opened and probed. */
  let open: string[];
  let opened: string[];
  let probed: string[];
  let numbers: number;
  /** What an opening of a provider waits for, by name. */
  let waits: Record<string, Promise<unknown>>;
  let failing: Set<string>;
  let bindings: Bindings;

  function provider(name: string, more: object = {}, capability = 'record'): Provider {
    const made = { name, config: {}, config_digest: name, adapter: adapterOf(name, capability), ...more };
    return made as unknown as Provider;
  }

  const adapters = new Map<string, object>();
  function adapterOf(name: string, capability: string): object {
    const adapter = adapters.get(name) ?? {
      ...{ name: `${capability}/local`, capability },
      async open() {
        opened.push(name);
        await waits[name];
        if (failing.has(name)) throw new Error('shut');
        open.push(name);
        return {
          execute: () => undefined,
          probe: async () => void probed.push(name),
          close: async () => void open.splice(open.indexOf(name), 1),
        };
      },
    };
    adapters.set(name, adapter);
    return adapter;
  }

  const configured = (...providers: Provider[]) => ({
    ...{ providers: new Map(providers.map((each) => [each.name, each])), order: {} },
  });
  function create(more: Partial<BindingOptions> = {}): Bindings {
    bindings = new Bindings({
      ...{ configured: configured(provider('a'), provider('b')), orbs: [one, two], swapped: new Map(), stateDir: '' },
      ...{ clock: { now: () => 0, monotonic: () => 0 }, log: silentLog, drainMs: 1, onHealth: () => undefined },
      store: { write: async () => [++numbers] },
      ...more,
    } as unknown as BindingOptions);
    return bindings;
  }
  const bound = (orb_id = one.orb_id) => bindings.find(orb_id) ?? expect.fail(`${orb_id} is not bound`);
  const served = (orb_id?: string) =>
    bound(orb_id).order.map(({ generation, provider: { name } }) => [name, generation?.number]);
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };

  beforeEach(() => {
    [open, opened, probed, numbers, waits, failing] = [[], [], [], 0, {}, new Set()];
    adapters.clear();
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  });
  afterEach(async () => {
    await bindings.close();
    mock.timers.reset();
  });

  it('are opened once, for all Orbs that they serve, each under its own number', async () => {
    await create().open();
    expect([opened.sort(), numbers]).to.deep.equal([['a', 'b'], 4]);
    expect([...bindings.all()].map(({ orb }) => orb.orb_id)).to.deep.equal([one.orb_id, two.orb_id]);
    expect(bindings.orderOf('other@1.0.0')).to.deep.equal([]);
  });

  it('are waited for two seconds at the start; a slow one serves once it is open', async () => {
    const slow = Promise.withResolvers<void>();
    waits['a'] = slow.promise;
    let done = false;
    const opening = create()
      .open()
      .then(() => (done = true));
    await turns();
    mock.timers.tick(1999);
    await turns();
    expect([done, served()[1]?.[0], typeof served()[1]?.[1]]).to.deep.equal([false, 'b', 'number']);
    mock.timers.tick(1);
    await opening;
    expect(served()[0]).to.deep.equal(['a', undefined]);
    slow.resolve();
    await turns();
    expect(served()[0]?.[1]).to.be.a('number');
  });

  it('are tried again every 15 s while they are not up, and left alone while they are', async () => {
    failing.add('a');
    await create().open();
    failing.clear();
    const before = probed.length;
    mock.timers.tick(14_999);
    await turns();
    expect([opened.length, probed.length]).to.deep.equal([2, before]);
    mock.timers.tick(1);
    await turns();
    expect([opened.sort(), probed.slice(before), typeof served()[0]?.[1]]).to.deep.equal([
      ['a', 'a', 'b'],
      ['a'],
      'number',
    ]);
    mock.timers.tick(15_000);
    await turns();
    expect(probed).to.have.length(before + 1);
  });

  it('are probed again while they are down, and not opened again for that', async () => {
    await create().open();
    const before = probed.length;
    bound().order[0]?.health.probed(false, 'gone');
    mock.timers.tick(15_000);
    await turns();
    expect([opened.length, probed.slice(before), bound().order[0]?.health.health]).to.deep.equal([2, ['a'], 'up']);
  });

  it('of a later Orb are shared with those that are open, if they are configured alike', async () => {
    await create({ orbs: [one] }).open();
    await bindings.add(two, configured(provider('a'), provider('b', { config: { x: 1 } })), undefined);
    expect(opened.sort()).to.deep.equal(['a', 'b', 'b']);
    await bindings.discard(bindings.detach(one.orb_id) ?? expect.fail('it is bound'));
    expect(open.sort()).to.deep.equal(['a', 'b']);
  });

  it('of an Orb that is detached serve it no more; they are closed when it is discarded', async () => {
    await create({ orbs: [one] }).open();
    const binding = bindings.detach(one.orb_id) ?? expect.fail('it is bound');
    expect([bindings.find(one.orb_id), bindings.detach(one.orb_id), open.sort()]).to.deep.equal([
      undefined,
      undefined,
      ['a', 'b'],
    ]);
    bindings.attach(binding);
    expect(bound()).to.equal(binding);
    bindings.detach(one.orb_id);
    await bindings.discard(binding);
    expect([binding.order, open]).to.deep.equal([[], []]);
  });

  it('of an Orb that is discarded while they open are closed once they are open, and not numbered', async () => {
    const slow = Promise.withResolvers<void>();
    waits['a'] = slow.promise;
    const opening = create({ orbs: [one] }).open();
    await turns();
    mock.timers.tick(2000);
    await opening;
    await bindings.discard(bindings.detach(one.orb_id) ?? expect.fail('it is bound'));
    slow.resolve();
    await turns();
    expect([open, numbers]).to.deep.equal([[], 1]);
  });

  it('are all closed at the end, those too that are still opening', async () => {
    const slow = Promise.withResolvers<void>();
    waits['a'] = slow.promise;
    const opening = create().open();
    await turns();
    mock.timers.tick(2000);
    await opening;
    await bindings.close();
    slow.resolve();
    await turns();
    expect(open).to.deep.equal([]);
    mock.timers.tick(60_000);
    await turns();
    expect(opened).to.have.length(2);
  });

  it('share a health by name and configuration; an incident concerns all configurations of a name', () => {
    create();
    const [a, other, ab] = [provider('a'), provider('a', { config_digest: 'x' }), provider('ab')];
    expect(bindings.parts.of(a).health).to.equal(bindings.parts.of(provider('a')).health);
    expect(bindings.parts.of(a).health).not.to.equal(bindings.parts.of(other).health);
    bindings.parts.of(ab).health;
    const health = () =>
      [a, other, ab, provider('a', { config_digest: 'y' })].map((each) => bindings.parts.of(each).health.health);
    bindings.parts.report('a', 'down', 'incident');
    expect(health()).to.deep.equal(['down', 'down', 'unknown', 'down']);
    bindings.parts.report('a', 'up', 'over');
    expect(health()).to.not.include('down');
    expect(bindings.parts.of(provider('a', { config_digest: 'z' })).health.health).to.equal('unknown');
  });

  it('share a queue as long as their limits stay the same; without limits they have none', () => {
    create();
    const queue = (more: object) => bindings.parts.of(provider('a', more)).queue;
    const first = queue({ limits });
    expect(first).to.not.equal(undefined);
    expect(queue({ limits: { queue: 1, concurrency: 1 } })).to.equal(first);
    expect(queue({ limits: { ...limits, queue: 2 } })).not.to.equal(first);
    expect([queue({}), bindings.parts.of(provider('b', { limits })).queue === first]).to.deep.equal([undefined, false]);
  });

  for (const [what, swapped, names, source] of [
    ['none was swapped', undefined, ['a', 'b'], 'config'],
    ['one of them was', 'b', ['b', 'a'], 'swap'],
    ['the one that was is not configured', 'gone', ['a', 'b'], 'config'],
    ['the one that was offers something else', 'echo', ['a', 'b'], 'config'],
  ] as const)
    it(`come in the configured order, the swapped one first: ${what}`, () => {
      const all = configured(provider('a'), provider('b'), provider('echo', {}, 'echo'));
      create({ configured: all, swapped: new Map(swapped === undefined ? [] : [[one.orb_id, swapped]]) });
      expect([served().map(([name]) => name), bound().source, bound().configured]).to.deep.equal([
        names,
        source,
        ['a', 'b'],
      ]);
      expect(served(two.orb_id).map(([name]) => name)).to.deep.equal(['a', 'b']);
    });

  describe('after a reload', () => {
    const reconciled = async (names: readonly string[], ...providers: Provider[]) => {
      bound().configured = names;
      const changes = await bindings.reconcile(bound(), configured(...providers).providers);
      return changes.map(({ change, provider: name }) => `${name} ${change}`);
    };
    beforeEach(() => create({ orbs: [one] }).open());

    it('stay as they are when nothing changed', async () => {
      const before = served();
      expect(await reconciled(['a', 'b'], provider('a'), provider('b'))).to.deep.equal([]);
      expect([served(), opened.length]).to.deep.equal([before, 2]);
    });

    it('are opened and closed as they come and go; the active one stays', async () => {
      expect(await reconciled(['c', 'a'], provider('a'), provider('b'), provider('c'))).to.deep.equal([
        'c added',
        'b removed',
      ]);
      expect([served().map(([name]) => name), open.sort()]).to.deep.equal([
        ['a', 'c'],
        ['a', 'c'],
      ]);
      expect(await reconciled(['b'], provider('b'))).to.deep.equal(['b added', 'c removed']);
      expect(served().map(([name]) => name)).to.deep.equal(['a', 'b']);
    });

    it('are opened again when their configuration changed', async () => {
      expect(await reconciled(['a', 'b'], provider('a'), provider('b', { config: { x: 1 } }))).to.deep.equal([
        'b added',
      ]);
      expect([served().map(([name]) => name), open.sort(), opened.length]).to.deep.equal([['a', 'b'], ['a', 'b'], 3]);
    });

    it('are left out while nothing of that name is configured', async () => {
      expect(await reconciled(['a', 'b', 'x'], provider('a'), provider('b'))).to.deep.equal([]);
      expect(served().map(([name]) => name)).to.deep.equal(['a', 'b']);
    });

    it('are all closed when none is left, the active one too', async () => {
      expect(await reconciled([])).to.deep.equal(['a removed', 'b removed']);
      expect([served(), open, bound().draining.size]).to.deep.equal([[], [], 0]);
    });

    it('wait for their runs before they are closed', async () => {
      const { generation } = bound().order[1] ?? expect.fail('b stands by');
      const lease = generation?.lease() ?? expect.fail('it is open');
      const reloading = reconciled(['a'], provider('a'));
      await turns();
      expect(open.sort()).to.deep.equal(['a', 'b']);
      generation?.release(lease);
      await reloading;
      expect(open).to.deep.equal(['a']);
    });
  });
});
