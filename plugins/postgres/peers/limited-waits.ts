import { every, GaveUp, Roster, type BoundedWaits } from '../../../kernel/engine.ts';

interface Waiting {
  readonly since: number;
  readonly giveUp: () => void;
}

const usualLimitMs = 5000;
const sweepMs = 1000;

/** Bounds how long callers wait for work that writes, while a database is away that work itself waits for. */
export class LimitedWaits implements BoundedWaits {
  /** Longest wait, ms. */
  readonly #limitMs: number;
  readonly #waiting = new Roster<Waiting>();
  #stop: (() => void) | undefined;

  constructor(limitMs = usualLimitMs) {
    this.#limitMs = limitMs;
  }

  /** Waits for work. Rejects with GaveUp when it has waited for seconds and the database is away. */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.remove(place);
        reject(new GaveUp(work));
      };
      const place = this.#waiting.add({ since: performance.now(), giveUp });
      work.finally(() => this.#waiting.remove(place)).then(resolve, reject);
    });
  }

  /** The database is away. */
  away(): void {
    this.#stop ??= every(sweepMs, () => this.#sweep(), ignored);
    this.#sweep();
  }

  /** It is there again. */
  back(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #sweep(): void {
    const before = performance.now() - this.#limitMs;
    for (const { since, giveUp } of this.#waiting) if (since <= before) giveUp();
  }
}

// Nothing in a sweep fails.
const ignored = (): void => undefined;
