import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { operation } from '../../../../kernel/index.ts';
import { IdempotencyKeys, KeyLost } from '../../../../plugins/runtime/journal/keys.ts';
import journalStore from '../../../../plugins/runtime/journal/store.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { rejection, standingAt, Stores } from '../../../helpers/stores/open.ts';
import { createWorld, orbId, type World } from '../swap-world.ts';

const allowed = () => Promise.resolve(undefined);
const request = (provider: string) => ({ orb_id: orbId, provider, principal: undefined, ifMatch: undefined });

describe('one swap of an Orb at a time', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world.bindings.close());

  const binding = () => world.bindings.find(orbId) ?? expect.fail('no binding');
  const renewed = () => ({ ...(world.providers.get('a') ?? expect.fail()), config_digest: 'sha256:changed' });
  const serving = (): (string | undefined)[] => binding().order.map(({ provider }) => provider.name);

  /** Begins a change whose provider waits in its probe; `proceed` lets it pass. */
  async function probing(provider: string, change: () => Promise<unknown>) {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: held, resolve: proceed } = Promise.withResolvers<void>();
    world.recorder.behaviour[provider] = { probe: () => (reach(), held) };
    const changing = change();
    await reached;
    world.recorder.behaviour[provider] = undefined;
    return { changing, proceed };
  }

  it('a reload of the active provider is refused while a swap is proven, and does not touch it', async () => {
    const { changing, proceed } = await probing('b', () => world.swapper.swap(request('b'), allowed));
    const refused = await rejection(world.swapper.renew(binding(), renewed(), undefined));
    expect(refused).to.be.instanceOf(PlatformError).and.include({ code: 'swap_in_progress' });
    expect(serving()).to.deep.equal(['a', 'b', 'c']);
    proceed();
    await changing;
    expect(serving()).to.deep.equal(['b', 'a', 'c']);
  });

  it('a swap is refused while a reload is proven', async () => {
    const { changing, proceed } = await probing('a', () => world.swapper.renew(binding(), renewed(), undefined));
    const refused = await rejection(world.swapper.swap(request('b'), allowed));
    expect(refused).to.be.instanceOf(PlatformError).and.include({ code: 'swap_in_progress' });
    proceed();
    await changing;
    expect(binding().order[0]?.provider.config_digest).to.equal('sha256:changed');
    await world.swapper.swap(request('b'), allowed);
    expect(serving()).to.deep.equal(['b', 'a', 'c']);
  });

  it('is refused while the policy is asked about another, and free again once that is denied', async () => {
    const { promise: asked, reject: deny } = Promise.withResolvers<never>();
    const denied = rejection(world.swapper.swap(request('b'), () => asked));
    const refused = await rejection(world.swapper.swap(request('c'), allowed));
    expect(refused).to.include({ code: 'swap_in_progress' });
    deny(new PlatformError('access_denied', 'no'));
    expect(await denied).to.include({ code: 'access_denied' });
    expect(binding().last_swap).to.equal(undefined);
    await world.swapper.swap(request('c'), allowed);
    expect(serving()).to.deep.equal(['c', 'a', 'b']);
  });
});

describe('a swap that is over', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world.bindings.close());

  it('is not among those that run, whether it failed or drained', async () => {
    world.recorder.behaviour['b'] = { probe: () => Promise.reject(new Error('no')) };
    const failed = await rejection(world.swapper.swap(request('b'), allowed));
    expect(failed).to.be.instanceOf(PlatformError).and.include({ code: 'probe_failed' });
    world.recorder.behaviour['b'] = undefined;
    const held = world.bindings.orderOf(orbId)[0]?.generation?.lease() ?? expect.fail('nothing is bound');
    const { swap_id } = await world.swapper.swap(request('b'), allowed);
    expect([world.swapper.running('swp_1'), world.swapper.running(swap_id)?.state]).to.deep.equal([
      undefined,
      'draining',
    ]);
    held.generation.release(held);
    await world.swapper.settled();
    expect(world.swapper.running(swap_id)).to.equal(undefined);
    expect(world.bindings.find(orbId)?.draining.size).to.equal(0);
  });

  it('stays rolled back when its own drain ends after the rollback', async () => {
    const held = world.bindings.orderOf(orbId)[0]?.generation?.lease() ?? expect.fail('nothing is bound');
    const undone = await world.swapper.swap(request('b'), allowed);
    await world.swapper.swap({ ...request('a'), rollsBack: undone.swap_id }, allowed);
    held.generation.release(held);
    await world.swapper.settled();
    expect(undone.state).to.equal('rolled_back');
  });
});

describe('a swap under an Idempotency-Key', () => {
  const stores = new Stores();
  let store: OpenStore;
  let world: World;
  let keys: IdempotencyKeys;
  const name = { principal: 'prn_1', method: 'POST', path: '/x', key: 'k' };

  beforeEach(async () => {
    const modules = [{ module: runtimeStore }, { module: journalStore }];
    store = await stores.open(stores.folder(), { modules });
    world = await createWorld(store);
    const clock = { now: () => standingAt, monotonic: () => 0 };
    keys = new IdempotencyKeys({ store, clock, log: silentLog, check: () => true });
  });
  afterEach(async () => {
    keys.close();
    await world.bindings.close();
    await stores.tidy();
  });

  const swap = (provider: string) =>
    keys.once(name, { provider }, (claim) => world.swapper.swap({ ...request(provider), claim }, allowed));

  it('that could not be recorded leaves the key free: the next request swaps', async () => {
    world.failing.attests = 1;
    expect(await rejection(swap('b'))).to.include({ code: 'storage_unavailable' });
    expect(await swap('b')).to.include({ to: 'b', state: 'draining' });
    expect(world.bindings.orderOf(orbId)[0]?.provider.name).to.equal('b');
  });

  it('that could not even begin leaves the key free, and says nothing of the provider', async () => {
    const { write } = store;
    let refusals = 1;
    const failing = await createWorld({
      ...store,
      write: (operations) =>
        operations.some(({ name: called }) => called === 'beginSwap') && refusals-- > 0
          ? Promise.reject(new PlatformError('storage_unavailable', 'no disk'))
          : write(operations),
    });
    const swapThere = () => keys.once(name, {}, (claim) => failing.swapper.swap({ ...request('b'), claim }, allowed));
    expect(await rejection(swapThere())).to.include({ code: 'storage_unavailable' });
    expect(failing.bindings.find(orbId)?.last_swap?.reason).to.equal('not_recorded');
    expect(await swapThere()).to.include({ to: 'b', state: 'draining' });
    await failing.bindings.close();
  });

  it('that another process has begun under it leaves nothing: no swap, no generation, no receipt', async () => {
    const other = { node: 'other', incarnation: '1', subject: 'swp_other', expires_at: standingAt + 1000 };
    const presented = await keys.present(name, { provider: 'b' });
    if (!('claim' in presented)) return expect.fail('the key was known');
    const { claim } = presented;
    await store.write([operation(journalStore, 'claimKey', { claim: { ...claim.name, ...other }, now: standingAt })]);
    const swapping = world.swapper.swap({ ...request('b'), claim }, allowed);
    expect(await rejection(swapping))
      .to.be.instanceOf(KeyLost)
      .and.include({ code: 'idempotency_in_progress' });
    const { findGeneration, openSwaps } = store.reads(runtimeStore);
    const later = { node: { name: 'later', incarnation: '2' }, shared: false };
    expect([openSwaps(later), findGeneration(orbId, 4)]).to.deep.equal([[], undefined]);
    expect(world.bindings.orderOf(orbId)[0]?.provider.name).to.equal('a');
    claim.release();
    await store.write([operation(journalStore, 'freeKey', { ...name, subject: 'swp_other' })]);
    expect(await swap('b')).to.include({ to: 'b', generation: 4 });
  });

  it('that failed its proof keeps the key: the next request is told the same', async () => {
    world.recorder.behaviour['b'] = { probe: () => Promise.reject(new Error('no')) };
    expect(await rejection(swap('b'))).to.include({ code: 'probe_failed' });
    world.recorder.behaviour['b'] = undefined;
    const again = await rejection(swap('b'));
    expect(again).to.include({ code: 'probe_failed' });
    expect(world.bindings.orderOf(orbId)[0]?.provider.name).to.equal('a');
  });
});
