import type { FairQueue } from './fair-queue.ts';
import type { Orb } from '../catalog/orb.ts';
import type { ProviderHealth } from './health.ts';
import type { Swap } from '../tables/swap-record.ts';
import { type Answered, canonical, exactly, optional } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';
import type { Generation } from './generation.ts';

/** The providers and their order by the configuration. */
export interface ConfiguredProviders {
  readonly providers: ReadonlyMap<string, Provider>;
  /** Orb id → names of its providers. */
  readonly order: Readonly<Record<string, readonly string[]>>;
}

/** A provider's place in an Orb's order. A slot without a generation could not be opened yet, or is draining. */
export interface Slot {
  readonly provider: Provider;
  readonly health: ProviderHealth;
  /** The queue that enforces the provider's limits; none without a limit. */
  readonly queue: FairQueue | undefined;
  generation: Generation | undefined;
}

/** The providers that serve one Orb now: the pointer that a swap changes. */
export interface Binding {
  readonly orb: Orb;
  /** The first is active. Replaced as a whole, never changed in place. */
  order: readonly Slot[];
  /** Names of the configured order: these stay as standby after a swap. */
  configured: readonly string[];
  source: 'config' | 'swap';
  /** Generations that still finish runs. */
  readonly draining: Set<Generation>;
  /** The swap that has not switched yet: another swap is refused while it runs. */
  swap: Swap | undefined;
  last_swap: Swap | undefined;
  /** Another node may have bound another provider, which this node has not learned: until then it refuses runs. */
  outdated?: boolean;
}

/** Lists every generation that serves an Orb or still finishes its runs. */
export function generationsOf({ order, draining }: Binding): readonly Generation[] {
  return [...order.flatMap(({ generation }) => (generation === undefined ? [] : [generation])), ...draining];
}

/**
 * Says whether no provider is configured for the Orb, and the one in service was bound by no swap or is not configured
 * either.
 */
export function isBereft({ configured, order, source }: Binding, providers: ReadonlyMap<string, Provider>): boolean {
  return configured.length === 0 && !(source === 'swap' && providers.has(order[0]?.provider.name ?? ''));
}

/**
 * Names the providers of an Orb in order: as bound in platform.json or the store, else the one that its manifest names,
 * else all that offer its capability.
 */
export function orderFor(
  { orb_id, manifest }: Orb,
  providers: ReadonlyMap<string, Provider>,
  order: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const fitting = [...providers.values()].filter(({ adapter }) => adapter.capability === manifest.capability);
  // A provider of the store can be removed, or get another capability, after the order was put.
  const bound = order[orb_id]?.filter((name) => fitting.some((one) => one.name === name));
  if (bound !== undefined) return bound;
  // By default, an Orb for a tool of one provider uses only that provider.
  const { upstream } = manifest;
  return fitting.map(({ name }) => name).filter((name) => upstream === undefined || name === upstream.provider);
}

/**
 * Points an Orb to a new generation and returns those that must drain: the one bound before, and an older one of the
 * same provider. Synchronous, so that a reader of the order sees all of the old one or all of the new one.
 */
export function switchBinding(
  binding: Binding,
  shared: Pick<Slot, 'health' | 'queue'>,
  generation: Generation,
): readonly Generation[] {
  const before = binding.order;
  const target: Slot = { provider: generation.provider, ...shared, generation };
  const old = before.filter((slot, index) => index === 0 || slot.provider.name === generation.provider.name);
  const leaving = old.flatMap(({ generation: held }) => (held === undefined ? [] : [held]));
  const kept = before.filter(
    ({ provider }) => provider.name !== target.provider.name && binding.configured.includes(provider.name),
  );
  // The provider bound before is a standby at once, because a run may be allowed no other. A slot that was never opened
  // keeps its place, because its provider is still being opened.
  const rest = kept.map((slot) =>
    slot === before[0] && slot.generation !== undefined ? { ...slot, generation: slot.generation.again() } : slot,
  );
  binding.order = [target, ...inOrder(rest, binding.configured)];
  for (const held of leaving) binding.draining.add(held);
  // A run that read the old order may still use a standby from it that is closed soon: the new generation replaces it.
  // Slots share a health exactly when provider and configuration are the same.
  for (const slot of before.slice(1)) if (slot.health === target.health) slot.generation = generation;
  return leaving;
}

/**
 * Says how long the runs of a replaced provider may go on. A metered run is paid for, so that it ends by its own time limit
 * and not by a swap.
 */
export function patienceOf({ orb: { manifest } }: Pick<Binding, 'orb'>, drainMs: number): number {
  return manifest.metered === true ? Math.max(drainMs, manifest.timeout_ms) : drainMs;
}

/** Drains a generation, then closes it. Resolves to the duration of the drain, ms. */
export async function retire(binding: Binding, generation: Generation, patienceMs: number): Promise<number> {
  const waited = await generation.drain(patienceMs);
  binding.draining.delete(generation);
  await generation.close();
  return waited;
}

function inOrder(slots: readonly Slot[], names: readonly string[]): readonly Slot[] {
  return [...slots].sort((a, b) => names.indexOf(a.provider.name) - names.indexOf(b.provider.name));
}

/** Schema of the result of a reload for one Orb's provider. */
export const reloadedProvider = exactly('ReloadedProvider', {
  orb_id: { type: 'string', description: 'Id of the Orb' },
  provider: { type: 'string', description: 'Name of the provider' },
  change: { enum: ['renewed', 'added', 'removed', 'failed'], description: 'The result' },
  generation: optional({ type: 'integer', description: 'Number of the opening of a provider for the Orb' }),
  reason: optional({ type: 'string', description: 'Why it failed' }),
});

/** The result of a reload for one Orb's provider. */
export type Reloaded = Answered<typeof reloadedProvider>;

/** Says whether two providers are opened alike: name, adapter, and configuration with its secrets resolved. */
export function sameProvider(one: Provider, other: Provider): boolean {
  return (
    one.name === other.name &&
    one.adapter === other.adapter &&
    canonical(one.limits ?? {}) === canonical(other.limits ?? {}) &&
    canonical(one.config ?? {}) === canonical(other.config ?? {})
  );
}

/** Says whether a slot of a binding is open with just this provider. */
export function isOpenAs(slot: Slot | undefined, provider: Provider): boolean {
  return slot?.generation !== undefined && sameProvider(slot.provider, provider);
}
