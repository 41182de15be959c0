import type { StoreRetry } from '../../journal/store-retry.ts';
import limitsStore, { type Wanting } from './store.ts';
import { operation, type Store } from '../../../../kernel/index.ts';

/** What permits need. */
export interface PermitOptions {
  readonly store: Pick<Store, 'node' | 'write'>;
  readonly retry: Pick<StoreRetry, 'until'>;
}

/** The permits of one name at this node. */
export class Permits {
  held = 0;
  running = 0;
  asking = false;

  /** How many this node wants. */
  get wanted(): number {
    return this.held;
  }
}

/** The permits of this node, by name: parts of limits that all nodes share. A run needs a permit of its node. */
export class PermitTable<P extends Permits> extends Map<string, P> {
  readonly #options: PermitOptions;
  readonly #make: () => P;

  constructor(options: PermitOptions, make: () => P) {
    super();
    this.#options = options;
    this.#make = make;
  }

  of(name: string): P {
    const known = this.get(name);
    if (known !== undefined) return known;
    const permits = this.#make();
    this.set(name, permits);
    return permits;
  }

  /** Requests permits of a name in the store; answers whether other nodes wait for some of this node. */
  async request(name: string, permits: P, asked: Pick<Wanting, 'limit' | 'wanted' | 'shares'>): Promise<boolean> {
    const { store } = this.#options;
    const { incarnation } = store.node;
    const wanting = { name, incarnation, running: permits.running, ...asked };
    const [{ contended, held }] = await store.write([operation(limitsStore, 'wantPermits', wanting)]);
    permits.held = held;
    return contended;
  }

  /**
   * Returns the permits of a name above `wanted`. If the store refuses, the node writes the then current number a second
   * later: otherwise no other node could get these permits.
   */
  lower(name: string, permits: P, wanted: number): void {
    const { retry, store } = this.#options;
    const { incarnation } = store.node;
    permits.held = Math.min(permits.held, wanted);
    // Writes keep their order, so a later request reads this one's result.
    const lower = async (): Promise<void> => {
      const now = this.get(name);
      // An open request tells the store the number as well.
      if (now?.asking === true) return;
      await store.write([operation(limitsStore, 'lowerPermits', { name, incarnation, wanted: now?.wanted ?? 0 })]);
    };
    void retry.until(lower, 'the server could not return permits of runs');
  }
}
