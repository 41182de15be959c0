import type { Clock } from '../clock.ts';
import type { Health } from '../health.ts';
import { createOrbHook, type OrbHook } from '../hooks.ts';
import type { Loaded, Provider } from '../loader.ts';
import type { Log } from '../log.ts';
import { operation, type Store } from '../store/contract.ts';
import type { Orb } from './orb.ts';
import runtimeStore from './store.ts';
import { createTransport, type Transport } from './transport.ts';
import { timestamp } from '../clock.ts';

/** One immutable opening of a provider for an Orb; numbers grow per Orb, over restarts too. */
export interface Generation {
  readonly number: number;
  readonly hook: OrbHook;
}

/** A provider's place in an Orb's order, with its open generation if it has one. */
export interface Slot {
  readonly provider: Provider;
  readonly transport: Transport;
  generation: Generation | undefined;
}

/** Which providers serve which Orb, in order; the first is the active one. */
export interface Bindings {
  /** The order of an Orb; empty when nothing offers its capability. */
  orderOf(orbId: string): readonly Slot[];
  /** All transports, for health and shutdown. */
  readonly transports: readonly Transport[];
  close(): Promise<void>;
}

/** What bindings are opened with. */
export interface BindingOptions {
  readonly loaded: Loaded;
  readonly order: Readonly<Record<string, readonly string[]>>;
  readonly store: Store;
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onHealth: (provider: string, from: Health, to: Health, reason: string) => void;
  /** How long the boot waits for openings and probes, ms. */
  readonly bootWaitMs?: number;
}

const openTimeoutMs = 10_000;
const reviveEveryMs = 15_000;

/**
 * Opens and probes every provider in parallel and waits for at most `bootWaitMs` (2 s): the rest is `unknown` and goes on
 * in the background, one that fails is `down` and is tried again; neither stops the boot.
 */
export async function openBindings(options: BindingOptions): Promise<Bindings> {
  const { loaded, store, clock, log } = options;
  const transports = new Map<string, Transport>();
  for (const provider of loaded.providers.values())
    transports.set(provider.name, createTransport(provider, { ...options, timeoutMs: openTimeoutMs }));
  const slots = new Map(
    [...loaded.catalog.orbs.values()].map((orb) => [orb.orb_id, slotsOf(orb, options, transports)]),
  );
  const settle = async (transport: Transport): Promise<void> => {
    await transport.revive();
    if (transport.isOpen()) await openGenerations(transport, slots, store, clock);
  };
  const reviveDown = (): void => {
    for (const transport of transports.values())
      if (transport.health() !== 'up')
        settle(transport).catch((error: unknown) => log.error({ err: error }, 'provider was not revived'));
  };
  const opening = Promise.all([...transports.values()].map(settle));
  await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, options.bootWaitMs ?? 2000).unref())]);
  opening.catch((error: unknown) => log.error({ err: error }, 'provider was not opened'));
  const revival = setInterval(reviveDown, reviveEveryMs).unref();
  return {
    orderOf: (orbId) => slots.get(orbId) ?? [],
    transports: [...transports.values()],
    async close() {
      clearInterval(revival);
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}

function slotsOf(orb: Orb, { loaded, order }: BindingOptions, transports: ReadonlyMap<string, Transport>): Slot[] {
  const names =
    order[orb.orb_id] ??
    [...loaded.providers.values()]
      .filter(({ adapter }) => adapter.capability === orb.manifest.capability)
      .map(({ name }) => name);
  return names.flatMap((name) => {
    const transport = transports.get(name);
    return transport === undefined ? [] : [{ provider: transport.provider, transport, generation: undefined }];
  });
}

async function openGenerations(
  transport: Transport,
  slots: ReadonlyMap<string, readonly Slot[]>,
  store: Store,
  clock: Clock,
): Promise<void> {
  for (const [orb_id, order] of slots) {
    const slot = order.find((candidate) => candidate.transport === transport && candidate.generation === undefined);
    if (slot === undefined) continue;
    const { name, adapter, config_digest } = transport.provider;
    const row = { orb_id, provider: name, adapter: adapter.name, config_digest, created_at: timestamp(clock.now()) };
    const [number] = await store.write([operation(runtimeStore, 'openGeneration', row)]);
    slot.generation = Object.freeze({ number, hook: createOrbHook(name, (dispatch) => transport.execute(dispatch)) });
  }
}
