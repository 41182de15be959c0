import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import type { Peers } from '../../../../kernel/runner.ts';
import { StoreRetry } from '../../../../plugins/runtime/journal/store-retry.ts';
import type { Swap } from '../../../../plugins/runtime/tables/swap-record.ts';
import { accept, type AcceptOptions } from '../../../../plugins/runtime/run/accept.ts';
import { unknownStanding } from '../../../../plugins/runtime/facts/facts.ts';
import { SwapFollower } from '../../../../plugins/runtime/swap/follow.ts';
import type { SwapScope } from '../../../../plugins/runtime/swap/scope.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { reloading } from '../../../helpers/reloading.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { until } from '../../../helpers/until.ts';
import { createWorld, orbId, type World } from '../swap-world.ts';

const away = (): Promise<never> =>
  Promise.reject(new PlatformError('storage_unavailable', 'the database is not reachable'));

describe('a swap that another node has bound', () => {
  let world: World;
  let learn: ReturnType<typeof reloading>;
  let follower: SwapFollower;
  /** How the store answers when it is asked for what is bound. */
  let boundSwap: SwapScope['reads']['boundSwap'];

  beforeEach(async () => {
    world = await createWorld();
    const clock = { now: () => 0, monotonic: () => 0 };
    const swap = { swap_id: 'swp_theirs', orb_id: orbId, to: 'b', generation: 9 } as Swap;
    boundSwap = () => Promise.resolve({ swap_id: swap.swap_id });
    const follow: Peers['follow'] = (_, ...how) => void (learn = reloading(...how));
    const options = {
      ...{ clock, drainMs: 1000, log: silentLog, retry: new StoreRetry(silentLog), bindings: world.bindings },
      store: { node: { name: 'own', incarnation: '1' }, peers: { follow }, write: () => Promise.resolve([]) },
      reads: {
        boundSwap: () => boundSwap(orbId),
        findSwap: () => Promise.resolve(swap),
        openingSwap: () => Promise.resolve(undefined),
      },
      resolve: (name: string) => world.providers.get(name) ?? expect.fail(name),
    } as unknown as SwapScope;
    follower = new SwapFollower(new Map(), options);
  });
  afterEach(async () => {
    follower.close();
    await world.bindings.close();
  });

  function accepted() {
    const { orb } = world.bindings.find(orbId) ?? expect.fail('no binding');
    const principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: [], mode: 'live' as const };
    const options = {
      catalog: {
        orbs: new Map([[orbId, orb]]),
        orbisets: new Map([['default', { id: 'default', tenant: 'default', orbs: ['*'] }]]),
      },
      parsers: new Map(),
      bindings: world.bindings,
      store: { admit: () => undefined },
      standing: () => unknownStanding,
      clock: { now: () => 0, monotonic: () => 0 },
      ids: () => 'run_1',
    } as unknown as AcceptOptions;
    const call = { orbiset_id: 'default', orb_id: orbId, inputs: { token: 'x' }, principal, client_ip: '127.0.0.1' };
    const run = accept(call, options);
    run.lease?.generation.release(run.lease);
    return run.order[0]?.provider.name;
  }
  const refused = () => rejection(Promise.resolve().then(accepted));
  const serves = (name: string) =>
    until(
      () =>
        Promise.resolve()
          .then(accepted)
          .catch(() => undefined),
      (found) => found === name,
      `${name} in service`,
    );

  it('serves when it has been learned', async () => {
    expect(accepted()).to.equal('a');
    await learn([orbId]);
    expect(accepted()).to.equal('b');
  });

  it('is not served by the old provider once it counts as learned, when the store did not answer', async () => {
    const found = boundSwap;
    boundSwap = away;
    await learn([orbId]);
    expect(await refused()).to.include({ code: 'provider_unavailable' });
    boundSwap = found;
    await serves('b');
  });

  it('is not served by the old provider once it counts as learned, when the new one cannot be opened here', async () => {
    world.recorder.behaviour['b'] = { open: () => Promise.reject(new Error('no route to host')) };
    await learn([orbId]);
    expect(await refused())
      .to.be.instanceOf(PlatformError)
      .and.include({ code: 'provider_unavailable' })
      .and.nested.include({ 'extensions.retry_after': 1 });
    world.recorder.behaviour['b'] = undefined;
    await serves('b');
  });

  it('is not served by the old provider once it counts as learned, when this node is slow', async () => {
    const opening = Promise.withResolvers<void>();
    world.recorder.behaviour['b'] = { open: () => opening.promise };
    const learning = learn([orbId]);
    expect(accepted()).to.equal('a');
    await learning;
    expect(await refused()).to.include({ code: 'provider_unavailable' });
    // Told again meanwhile: the end of the first reading does not replace the second one.
    void learn([orbId]);
    opening.resolve();
    await serves('b');
  });
});
