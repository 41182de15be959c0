/** The Orb and the Orbiset of a run. */
export interface OpenRun {
  readonly orb: { readonly orb_id: string };
  readonly orbiset: { readonly id: string };
}

/** Counts the accepted runs without a receipt, by the ids of their Orb and Orbiset. */
export class OpenRuns {
  // Keyed by the ids of both: an Orb's has an @, an Orbiset's has none.
  readonly #counts = new Map<string, number>();

  enter({ orb, orbiset }: OpenRun): void {
    this.#add(orb.orb_id, 1);
    this.#add(orbiset.id, 1);
  }

  leave({ orb, orbiset }: OpenRun): void {
    this.#add(orb.orb_id, -1);
    this.#add(orbiset.id, -1);
  }

  /** Returns how many runs of an Orb or an Orbiset are open, whatever its manifest was when they began. */
  of(id: string): number {
    return this.#counts.get(id) ?? 0;
  }

  #add(id: string, more: 1 | -1): void {
    const count = this.of(id) + more;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }
}
