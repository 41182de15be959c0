import { after, type Awaitable } from '../../../../kernel/index.ts';
import { Permits, PermitTable, type PermitOptions } from './permits.ts';
import { chunkOf } from './rates.ts';

/** Limits how many runs are under way at once, by name. */
export interface Places {
  /** Takes a place of a name; false: none is free. */
  enter(bound: Bound): Awaitable<boolean>;
  leave(bound: Bound): void;
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

  enter({ limit, name }: Bound): boolean {
    const running = this.#running.get(name) ?? 0;
    if (running >= limit) return false;
    this.#running.set(name, running + 1);
    return true;
  }

  leave({ name }: Bound): void {
    const left = (this.#running.get(name) ?? 0) - 1;
    if (left <= 0) this.#running.delete(name);
    else this.#running.set(name, left);
  }
}

/** What places need that several nodes share. */
export interface SharedPlacesOptions extends PermitOptions {
  /** Counts the nodes that live. */
  readonly nodes: () => Promise<number>;
}

interface Waiting {
  /** How often a request found no free place. */
  tries: number;
  readonly settle: PromiseWithResolvers<boolean>;
}

class PlacePermits extends Permits {
  chunk = 1;
  readonly waiting: Waiting[] = [];
  endRest: () => void = () => undefined;
}

// Another node may be returning a permit now.
const secondLookMs = 100;
const idleMs = 500;

/**
 * Limits runs of all nodes together: a run needs a permit of its node, which has it from the store. Unused permits are
 * returned, immediately if there are few.
 */
export class SharedPlaces implements Places {
  readonly #nodes: SharedPlacesOptions['nodes'];
  readonly #permits: PermitTable<PlacePermits>;

  constructor(options: SharedPlacesOptions) {
    this.#nodes = options.nodes;
    this.#permits = new PermitTable(options, () => new PlacePermits());
  }

  enter(bound: Bound): Awaitable<boolean> {
    if (bound.limit <= 0) return false;
    const permits = this.#permits.of(bound.name);
    if (permits.running < permits.held) {
      permits.running += 1;
      return true;
    }
    const waiting: Waiting = { tries: 0, settle: Promise.withResolvers<boolean>() };
    permits.waiting.push(waiting);
    void this.#ask(bound, permits);
    return waiting.settle.promise;
  }

  leave(bound: Bound): void {
    const permits = this.#permits.of(bound.name);
    permits.running -= 1;
    this.#serve(permits);
    if (permits.chunk === 1) return this.#giveBack(bound, permits, permits.running);
    if (permits.held - permits.running >= 2 * permits.chunk)
      this.#giveBack(bound, permits, permits.running + permits.chunk);
    this.#rest(bound, permits);
  }

  /** Admits waiting runs as long as there are permits. */
  #serve(permits: PlacePermits): void {
    while (permits.running < permits.held) {
      const next = permits.waiting.shift();
      if (next === undefined) return;
      permits.running += 1;
      next.settle.resolve(true);
    }
  }

  async #ask(bound: Bound, permits: PlacePermits): Promise<void> {
    if (permits.asking) return;
    permits.asking = true;
    try {
      while (permits.waiting.length > 0) {
        permits.chunk = chunkOf(bound.limit, await this.#nodes());
        await this.#want(bound, permits);
      }
    } catch (error) {
      for (const { settle } of permits.waiting.splice(0)) settle.reject(error);
    } finally {
      permits.asking = false;
    }
    // Runs that ended during the request did not return their permits, so check now.
    this.#rest(bound, permits);
  }

  async #want({ limit, name }: Bound, permits: PlacePermits): Promise<void> {
    const asked = [...permits.waiting];
    const wanted = Math.min(limit, permits.running + Math.max(asked.length, permits.chunk));
    await this.#permits.request(name, permits, { limit, wanted, shares: false });
    this.#serve(permits);
    const left = asked.filter((one) => permits.waiting.includes(one));
    for (const one of left) {
      one.tries += 1;
      if (one.tries === 1) continue;
      permits.waiting.splice(permits.waiting.indexOf(one), 1);
      one.settle.resolve(false);
    }
    if (permits.waiting.length > 0 && left.length > 0)
      await new Promise<void>((resolve) => void after(secondLookMs, resolve, () => undefined));
  }

  #giveBack({ name }: Bound, permits: PlacePermits, wanted: number): void {
    if (permits.asking || permits.held <= wanted) return;
    this.#permits.lower(name, permits, wanted);
    if (wanted === 0 && permits.waiting.length === 0) this.#permits.delete(name);
  }

  /** Returns permits that were not used for a while. */
  #rest(bound: Bound, permits: PlacePermits): void {
    permits.endRest();
    if (permits.held <= permits.running) return;
    const give = (): void => this.#giveBack(bound, permits, permits.running);
    if (permits.chunk === 1) return give();
    permits.endRest = after(idleMs, give, () => undefined);
  }
}
