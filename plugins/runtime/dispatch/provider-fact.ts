import type { Slot } from '../provider/binding.ts';
import type { Settled } from './run-record.ts';
import type { Generation } from '../provider/generation.ts';

type ProviderFact = NonNullable<Settled['provider']>;

const providerFacts = new WeakMap<Slot, ProviderFact>();

/** Describes the provider at the moment of binding: the same frozen object for the same content, serialised once. */
export function providerFact(slot: Slot, generation: Generation | undefined): ProviderFact {
  const { number = 0, swap_id } = generation ?? {};
  const { health } = slot.health;
  const known = providerFacts.get(slot);
  if (known?.generation === number && known.health === health && known.swap_id === swap_id) return known;
  const base = { name: slot.provider.name, generation: number, health };
  const fact = Object.freeze(swap_id === undefined ? base : { ...base, swap_id });
  providerFacts.set(slot, fact);
  return fact;
}
