import type { Binding, Slot } from './binding.ts';
import type { Generation } from './generation.ts';

/**
 * Points an Orb to a new generation and answers those that must drain: the one bound before, and an older one of the
 * same provider. One synchronous step: whoever reads the order sees all of the old or all of the new.
 */
export function rebind(
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
  // What was bound stands by at once: a run may be allowed nothing else. One that was never opened keeps its place:
  // somebody is trying to open it.
  const rest = kept.map((slot) =>
    slot === before[0] && slot.generation !== undefined ? { ...slot, generation: slot.generation.again() } : slot,
  );
  binding.order = [target, ...inOrder(rest, binding.configured)];
  for (const held of leaving) binding.draining.add(held);
  // A run that read the order before may yet go on to the standby it knew, which is closed soon: the new generation
  // stands in. One health is one provider under one configuration.
  for (const slot of before.slice(1)) if (slot.health === target.health) slot.generation = generation;
  return leaving;
}

/** Drains a generation, then closes it. Resolves to ms. */
export async function retire(binding: Binding, generation: Generation, patienceMs: number): Promise<number> {
  const waited = await generation.drain(patienceMs);
  binding.draining.delete(generation);
  await generation.close();
  return waited;
}

function inOrder(slots: readonly Slot[], names: readonly string[]): readonly Slot[] {
  return [...slots].sort((a, b) => names.indexOf(a.provider.name) - names.indexOf(b.provider.name));
}
