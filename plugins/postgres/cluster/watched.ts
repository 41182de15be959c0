import type { Row } from '../../../kernel/engine.ts';

/** How long a lease holds after it was renewed, and how often it is. Milliseconds. */
export interface LeaseTimes {
  readonly holdMs: number;
  readonly renewMs: number;
}

/** The times of a server. */
export const leaseTimes: LeaseTimes = { holdMs: 10_000, renewMs: 2000 };

/** The process that asks for the database. */
export interface Asker {
  readonly node: string;
  readonly incarnation: string;
  /** An id that the state dir keeps: a process with the same one has ended, because this one holds the lock of the folder. */
  readonly place: string;
}

/** What a process has seen of the leases of others. */
export class Watched {
  readonly #times: LeaseTimes;
  /** The lease of each incarnation as it was last seen to change, and when that was, on the monotonic clock. */
  readonly #seen = new Map<string, { readonly until: number; readonly since: number }>();
  #lookedAt = 0;

  constructor(times: LeaseTimes) {
    this.#times = times;
  }

  /**
   * Looks at processes that live, at a time of the database; answers those whose lease has ended while this process
   * looked on for as long as a lease holds.
   */
  ended(time: number, rows: readonly Row[]): readonly Row[] {
    const at = performance.now();
    // No node could renew while the database was unreachable, so earlier observations do not count.
    if (at - this.#lookedAt > 2 * this.#times.renewMs) this.#seen.clear();
    this.#lookedAt = at;
    return rows.filter((row) => this.#hasEnded(time, at, row));
  }

  /** Says whether a process was seen to renew its lease. */
  renewed({ incarnation, lease_until }: Row): boolean {
    const seen = this.#seen.get(String(incarnation));
    return seen !== undefined && seen.until !== Number(lease_until);
  }

  #hasEnded(time: number, at: number, { incarnation, lease_until }: Row): boolean {
    const until = Number(lease_until);
    const seen = this.#seen.get(String(incarnation));
    if (seen?.until !== until) this.#seen.set(String(incarnation), { until, since: at });
    return seen?.until === until && time > until && at - seen.since >= this.#times.holdMs;
  }
}
