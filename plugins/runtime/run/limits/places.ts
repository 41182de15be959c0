import type { Awaitable } from '../../../../kernel/index.ts';

/** Limits how many runs are under way at once, by name. */
export interface Places {
  /** Takes one place of each name, or no place at all. Answers the name without a free place, if there is one. */
  enter(bounds: readonly Bound[]): Awaitable<Bound | undefined>;
  leave(bounds: readonly Bound[]): void;
}

/** Maximum number of concurrent runs of a name. */
export interface Bound {
  /** The kind of what is limited, a space, and its id. */
  readonly name: string;
  readonly limit: number;
}

/** Counts in the memory of this process. */
export class OwnPlaces implements Places {
  readonly #running = new Map<string, number>();

  enter(bounds: readonly Bound[]): Bound | undefined {
    const full = bounds.find(({ limit, name }) => this.#count(name) >= limit);
    if (full === undefined) for (const { name } of bounds) this.#running.set(name, this.#count(name) + 1);
    return full;
  }

  leave(bounds: readonly Bound[]): void {
    for (const { name } of bounds) {
      const left = this.#count(name) - 1;
      if (left <= 0) this.#running.delete(name);
      else this.#running.set(name, left);
    }
  }

  #count(name: string): number {
    return this.#running.get(name) ?? 0;
  }
}
