import { mock } from 'node:test';
import { expect } from 'chai';
import { silentLog } from '../../../kernel/tools/log.ts';
import { type Slot, switchBinding } from '../../../plugins/runtime/provider/binding.ts';
import { Bindings, type BindingOptions } from '../../../plugins/runtime/provider/bindings.ts';
import { Generation } from '../../../plugins/runtime/provider/generation.ts';

const orb_id = 'test.record@1.0.0';
const clock = { now: () => 0, monotonic: () => 0 };

/** Lets everything that waits for nothing but its turn go on. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('a provider that could not be opened at the start', () => {
  let shut: boolean;
  let open: string[];
  let bindings: Bindings;
  /** Answers the number of the generation that is stored. */
  let write: () => Promise<number>;
  /** What an opening waits for. */
  let opening: Promise<unknown> | undefined;

  beforeEach(async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    shut = true;
    write = async () => 7;
    opening = undefined;
    open = [];
    const provider = (name: string) => ({
      ...{ name, config: {}, config_digest: name },
      adapter: {
        ...{ name: 'record/local', capability: 'record' },
        open: async () => {
          if (name === 'a' && shut) throw new Error('the port is closed');
          await opening;
          open.push(name);
          return { execute: () => undefined, close: () => void open.splice(open.indexOf(name), 1) };
        },
      },
    });
    bindings = new Bindings({
      configured: { providers: new Map(['a', 'b'].map((name) => [name, provider(name)])), order: {} },
      orbs: [{ orb_id, manifest: { capability: 'record' } }],
      ...{ swapped: new Map(), stateDir: '', clock, log: silentLog, drainMs: 1, onHealth: () => undefined },
      store: { write: async () => [await write()] },
    } as unknown as BindingOptions);
    await bindings.open();
  });
  afterEach(async () => {
    await bindings.close();
    mock.timers.reset();
  });

  /** Binds a new generation of a provider, as a swap does. */
  async function swapTo(name: string): Promise<void> {
    const binding = bindings.find(orb_id) ?? expect.fail();
    const slot = binding.order.find(({ provider }) => provider.name === name) ?? expect.fail();
    const transport = bindings.transport(slot.provider);
    await transport.open(1000);
    const generation = new Generation(9, transport, clock);
    for (const old of switchBinding(binding, bindings.parts.of(generation.provider), generation)) await old.close();
  }

  async function revived(): Promise<(readonly [string, number | undefined])[]> {
    shut = false;
    mock.timers.tick(15_000);
    await turns();
    return bindings.orderOf(orb_id).map(({ generation, provider }) => [provider.name, generation?.number] as const);
  }

  it('serves once it can be opened', async () => {
    expect(await revived()).to.deep.equal([
      ['a', 7],
      ['b', 7],
    ]);
  });

  it('stands by once it can be opened when a swap has put another in its place', async () => {
    await swapTo('b');
    expect(await revived()).to.deep.equal([
      ['b', 9],
      ['a', 7],
    ]);
  });

  it('is not opened beside the generation that a swap has bound of it', async () => {
    shut = false;
    await swapTo('a');
    expect(await revived()).to.deep.equal([
      ['a', 9],
      ['b', 7],
    ]);
    expect(open.sort()).to.deep.equal(['a', 'b']);
    await bindings.close();
    expect(open).to.deep.equal([]);
  });

  it('that a reload adds while nothing can be stored keeps it from nothing else, and serves once it can', async () => {
    const binding = bindings.find(orb_id) ?? expect.fail();
    const [{ provider: a }, { provider: b }] = binding.order as readonly [Slot, Slot];
    const c = { ...b, name: 'c', config_digest: 'c' };
    write = () => Promise.reject(new Error('the disk is full'));
    binding.configured = ['a', 'c'];
    const providers = new Map([a, b, c].map((each) => [each.name, each]));
    const changes = await bindings.reconcile(binding, providers);
    expect(changes.map(({ change, provider }) => [provider, change])).to.deep.equal([
      ['c', 'added'],
      ['b', 'removed'],
    ]);
    write = async () => 7;
    expect(await revived()).to.deep.equal([
      ['a', 7],
      ['c', 7],
    ]);
  });

  it('is closed when a swap has taken its place while it was being opened, and nothing is stored of it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let written = 0;
    write = async () => (written += 1);
    opening = promise;
    await revived();
    opening = undefined;
    await swapTo('a');
    resolve();
    await turns();
    expect(bindings.orderOf(orb_id).map(({ generation }) => generation?.number)).to.deep.equal([9, 7]);
    expect([open.sort(), written]).to.deep.equal([['a', 'b'], 0]);
  });

  it('is closed when a swap has taken its place while its generation was being stored', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    write = () => promise;
    await revived();
    expect(open.sort()).to.deep.equal(['a', 'b']);
    await swapTo('a');
    resolve(8);
    await turns();
    expect(bindings.orderOf(orb_id).map(({ generation }) => generation?.number)).to.deep.equal([9, 7]);
    expect(open.sort()).to.deep.equal(['a', 'b']);
  });

  it('serves by the generation that was stored first when it is revived again meanwhile', async () => {
    const stored = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    let at = 0;
    write = () => stored[at++]?.promise ?? expect.fail();
    await revived();
    await revived();
    expect(at).to.equal(2);
    for (const [index, { resolve }] of stored.entries()) {
      resolve(10 + index);
      await turns();
      expect(bindings.orderOf(orb_id)[0]?.generation?.number).to.equal(10);
    }
  });
});
