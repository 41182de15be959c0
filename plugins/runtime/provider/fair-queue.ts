import type { Clock } from '../../../kernel/index.ts';
import type { Limit } from '../../../kernel/runner.ts';

/** Why a call may not wait: the queue is full, or the wait has timed out. */
export type Refused = 'full' | 'late';

/** Most concurrent calls of a provider, its rate, and most waiting calls. */
export interface QueueLimits extends Limit {
  /** Most waiting calls, all tenants together. */
  readonly length: number;
}

/** Lets one waiting call go. */
type Waiting = () => void;

/**
 * Lets at most `concurrency` calls through, and no more than its rate. The rest wait in a bounded queue and are served
 * in turn by tenant: a tenant that sends a thousand calls delays its own, not those of others.
 */
export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #lines = new Map<string, Waiting[]>();
  readonly #rate: Tokens | undefined;
  #running = 0;
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: QueueLimits, clock: Pick<Clock, 'monotonic'>) {
    this.#limits = limits;
    this.#rate = limits.rate === undefined ? undefined : new Tokens(limits.rate, clock);
  }

  /** Number of waiting calls. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Says whether a tenant's next call would be refused. A full queue still takes the first call of a tenant without one
   * in it while another has more than its share: a tenant that fills the queue does not close it for the rest.
   */
  isFull(tenant: string): boolean {
    if (this.#waiting < this.#limits.length || this.#isFree()) return false;
    return this.#lines.has(tenant) || this.#waiting >= 2 * this.#limits.length;
  }

  /** Waits for its turn, at most `patienceMs`. A call that is let through must `leave`. */
  async enter(tenant: string, patienceMs: number): Promise<Refused | undefined> {
    if (this.#waiting === 0 && this.#isFree()) {
      this.#begin();
      return undefined;
    }
    if (this.isFull(tenant)) return 'full';
    const turn = this.#wait(tenant, patienceMs);
    this.#wake();
    return turn;
  }

  /** Frees a place: the first call of the tenant whose turn it is gets it. */
  leave(): void {
    this.#running -= 1;
    this.#serve();
  }

  #isFree(): boolean {
    return this.#running < (this.#limits.concurrency ?? Infinity) && (this.#rate?.awayMs() ?? 0) === 0;
  }

  #begin(): void {
    this.#running += 1;
    this.#rate?.take();
  }

  #serve(): void {
    while (this.#waiting > 0 && this.#isFree()) this.#next();
    this.#wake();
  }

  // A timer wakes a call that waits for the rate; a leaving call wakes one that waits for a place.
  #wake(): void {
    if (this.#timer !== undefined || this.#waiting === 0) return;
    const away = this.#rate?.awayMs() ?? 0;
    if (away === 0) {
      // The time passed since the last check: no timer fires, and no place has to become free.
      if (this.#isFree()) this.#serve();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#serve();
    }, away);
  }

  #next(): void {
    const [tenant, line] = this.#lines.entries().next().value ?? [];
    if (tenant === undefined || line === undefined) return;
    const next = line.shift();
    // The tenant goes to the end of the round; a Map keeps the order of insertion.
    this.#lines.delete(tenant);
    if (line.length > 0) this.#lines.set(tenant, line);
    this.#waiting -= 1;
    this.#begin();
    next?.();
  }

  #wait(tenant: string, patienceMs: number): Promise<Refused | undefined> {
    return new Promise((resolve) => {
      const waiting: Waiting = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
      const timer = setTimeout(() => {
        this.#drop(tenant, waiting);
        resolve('late');
      }, patienceMs);
      const line = this.#lines.get(tenant) ?? [];
      line.push(waiting);
      this.#lines.set(tenant, line);
      this.#waiting += 1;
    });
  }

  #drop(tenant: string, waiting: Waiting): void {
    const line = this.#lines.get(tenant) ?? [];
    line.splice(line.indexOf(waiting), 1);
    if (line.length === 0) this.#lines.delete(tenant);
    this.#waiting -= 1;
  }
}

/** A bucket of `count` tokens that fills evenly within `window_s`. */
class Tokens {
  readonly #count: number;
  readonly #perMs: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #left: number;
  #at: number;

  constructor({ count, window_s }: NonNullable<Limit['rate']>, clock: Pick<Clock, 'monotonic'>) {
    this.#count = count;
    this.#perMs = count / (window_s * 1000);
    this.#clock = clock;
    this.#left = count;
    this.#at = clock.monotonic();
  }

  /** Time until the next token, whole ms; 0: there is one. */
  awayMs(): number {
    this.#fill();
    return this.#left >= 1 ? 0 : Math.ceil((1 - this.#left) / this.#perMs);
  }

  take(): void {
    this.#fill();
    this.#left -= 1;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    this.#left = Math.min(this.#count, this.#left + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}
