import { otherDefinition } from '../outcome/outcome.ts';
import type { Slot } from '../provider/binding.ts';
import { unfitFor } from '../provider/definitions.ts';
import type { Outcome } from '../../../kernel/runner.ts';
import type { Generation, Lease } from '../provider/generation.ts';
import type { Run, Settled } from './run-record.ts';

/** A provider at which a run was, or will be, tried. */
export interface Visit {
  readonly slot: Slot;
  /** Undefined: it could not be opened. */
  readonly lease: Lease | undefined;
  /** When the first call began, on the monotonic clock. */
  firstAt: number | undefined;
}

/** The providers that a run has visited: nearly always one, so that no table is made for them. */
export class Visits {
  readonly #all: Visit[] = [];

  of(slot: Slot): Visit | undefined {
    for (const visit of this.#all) if (visit.slot === slot) return visit;
    return undefined;
  }

  /** Adds a provider that was not visited yet. */
  begin(slot: Slot, lease: Lease | undefined): Visit {
    const visit: Visit = { slot, lease, firstAt: undefined };
    this.#all.push(visit);
    return visit;
  }

  /** Releases the leases of all, but for the one that belongs to the run. */
  leave(own: Lease | undefined): void {
    for (const { lease } of this.#all) if (lease !== undefined && lease !== own) lease.generation.release(lease);
  }
}

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

/** Returns the outcome of an attempt whose provider must not be called with this run; undefined when it may be. */
export function unfitOutcome(
  { orb, parsed }: Pick<Run, 'orb' | 'parsed'>,
  { provider }: Slot,
  { generation }: Lease,
): Outcome | undefined {
  // The policy did not see these inputs in the form that a provider would use.
  if (parsed !== undefined && 'refused' in parsed) return parsed.refused;
  const unfit = unfitFor(orb, provider, generation.transport);
  return unfit === undefined ? undefined : otherDefinition(unfit);
}
