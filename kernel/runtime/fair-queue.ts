/** Who may not wait: the queue is full, or the patience is over. */
export type Refused = 'full' | 'late';

/** How many calls a provider takes at once, and how many may wait for it. */
export interface QueueLimits {
  readonly concurrency: number;
  /** Waiting calls at most, all tenants together. */
  readonly length: number;
}

interface Waiting {
  readonly go: () => void;
}

/**
 * Lets at most `concurrency` calls through; the rest wait, bounded, and are served in turn by tenant: one that sends
 * a thousand waits behind itself, not in front of the others.
 */
export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #lines = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Says whether a tenant's next call would be refused. A full queue still takes the first of a tenant that has nothing
   * in it while another has more than its share: who fills the queue does not close it for the rest.
   */
  isFull(tenant: string): boolean {
    if (this.#waiting < this.#limits.length || this.#running < this.#limits.concurrency) return false;
    return this.#lines.has(tenant) || this.#waiting >= 2 * this.#limits.length;
  }

  /** Waits for its turn, at most `patienceMs`. What is let through must `leave`. */
  async enter(tenant: string, patienceMs: number): Promise<Refused | undefined> {
    if (this.#running < this.#limits.concurrency && this.#waiting === 0) {
      this.#running += 1;
      return undefined;
    }
    if (this.isFull(tenant)) return 'full';
    return this.#wait(tenant, patienceMs);
  }

  /** Makes room: the first of the tenant whose turn it is goes. */
  leave(): void {
    this.#running -= 1;
    const [tenant, line] = this.#lines.entries().next().value ?? [];
    if (tenant === undefined || line === undefined) return;
    const next = line.shift();
    // The tenant goes to the end of the round; a Map keeps the order of insertion.
    this.#lines.delete(tenant);
    if (line.length > 0) this.#lines.set(tenant, line);
    this.#waiting -= 1;
    this.#running += 1;
    next?.go();
  }

  #wait(tenant: string, patienceMs: number): Promise<Refused | undefined> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        go: () => {
          clearTimeout(timer);
          resolve(undefined);
        },
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
    const index = line.indexOf(waiting);
    if (index < 0) return;
    line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(tenant);
    this.#waiting -= 1;
  }
}
