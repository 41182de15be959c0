import type { Slot } from '../provider/binding.ts';
import type { Lease } from '../provider/generation.ts';

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
