import { expect } from 'chai';
import type { Clock } from '../../../kernel/tools/clock.ts';
import { PlatformError } from '../../../kernel/error.ts';
import type { Fact } from '../../../kernel/fact.ts';
import type { RuntimeHooks } from '../../../plugins/runtime/facts/hooks.ts';
import type { Provider } from '../../../kernel/provider/adapter.ts';
import { StoreRetry } from '../../../plugins/runtime/journal/store-retry.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import { Bindings } from '../../../plugins/runtime/provider/bindings.ts';
import { createOrb } from '../../../plugins/runtime/catalog/orb.ts';
import { Swapper } from '../../../plugins/runtime/swap/swapper.ts';
import type { Operation, Store } from '../../../kernel/store/contract.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';

/** The Orb whose provider is swapped. */
export const orbId = 'test.record@1.0.0';

/** Its providers; all but the last are in its order. */
export const names = ['a', 'b', 'c', 'd'] as const;

/** Bindings and the swapper of one Orb served by recorders, on a clock that is moved by hand. */
export interface World {
  readonly recorder: Recorder;
  readonly bindings: Bindings;
  readonly swapper: Swapper;
  readonly time: { now: number };
  /** How many of the next attestations fail. */
  readonly failing: { attests: number };
  /** Providers as the configuration has them. */
  readonly providers: ReadonlyMap<string, Provider>;
}

/** Makes it; what is attested is written to the store, by default one that gives out numbers and keeps nothing. */
export async function createWorld(store: Store = numbering()): Promise<World> {
  const recorder = createRecorder();
  const time = { now: 0 };
  const failing = { attests: 0 };
  const clock: Clock = { now: () => 1_700_000_000_000 + time.now, monotonic: () => time.now };
  const providers = new Map(names.map((name) => [name as string, provider(recorder, name)]));
  const orb = createOrb(recordOrb(), []);
  if (orb === undefined) throw new Error('the test Orb is faulty');
  const hooks = {
    async attest(fact: Fact) {
      if (failing.attests-- > 0) throw new PlatformError('storage_unavailable', 'no disk');
      failing.attests = 0;
      await store.write(fact.operations('rec_1'));
      return { receipt_id: 'rec_1', signature_valid: true, timestamp: '' };
    },
    tell: () => undefined,
  } as unknown as RuntimeHooks;
  const shared = { store, clock, log: silentLog, drainMs: 3_600_000 };
  const bindings = new Bindings({
    ...shared,
    configured: { providers, order: { [orbId]: ['a', 'b', 'c'] } },
    orbs: [orb],
    swapped: new Map(),
    stateDir: '/tmp',
    onHealth: () => undefined,
  });
  await bindings.open();
  let swaps = 0;
  const resolve = (name: string): Provider => providers.get(name)?.renew() ?? expect.fail(name);
  const swapper = new Swapper({
    ...shared,
    bindings,
    hooks,
    ids: () => `swp_${++swaps}`,
    metrics: { finished: () => undefined },
    retry: new StoreRetry(silentLog),
    resolve,
  });
  return { recorder, bindings, swapper, time, failing, providers };
}

function provider(recorder: Recorder, name: string): Provider {
  const made: Provider = {
    name,
    adapter: recorder.adapter,
    config: { name },
    config_digest: `sha256:${name}`,
    renew: () => ({ ...made }),
  };
  return made;
}

// Gives out generation numbers as the store does.
function numbering(): Store {
  let number = 0;
  const answer = ({ name }: Operation): unknown =>
    name === 'openGeneration' || name === 'beginSwap' ? ++number : undefined;
  const node = { name: 'node-1', incarnation: '0123456789abcdef' };
  const write = (operations: readonly Operation[]) => Promise.resolve(operations.map(answer));
  return { node, write } as unknown as Store;
}
