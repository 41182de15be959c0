import type { Run } from '../dispatch/run-record.ts';
import { OwnPlaces, type Bound, type Places } from './limits/places.ts';
import { kindOf, OwnRates, type Rate, type Rates } from './limits/rates.ts';
import { createBucket, type Limit, rateLimited, type Taken } from '../../../kernel/runner.ts';
import { PlatformError, type Awaitable } from '../../../kernel/index.ts';

const deniedPerSecond = 10;

type Bounds = readonly (readonly [name: string, limit: Limit])[];

/** Who counts runs: this process alone, or all nodes together. */
export interface Counting {
  readonly rates: Rates;
  readonly places: Places;
}

/**
 * Limits runs per key and per Orbiset, before they are decided, and denials per key, after the decision: 429 without a
 * receipt. Runs are not limited unless configured. Each process counts its own denials.
 */
export class RunLimits {
  readonly #keyLimit: Limit;
  readonly #rates: Rates;
  readonly #places: Places;
  // A denial is a permanent entry in the log: a key may write only a few per second.
  readonly #denied = createBucket('denials', deniedPerSecond, 1, (keyId) => keyId);

  constructor(keyLimit: Limit, { rates = new OwnRates(), places = new OwnPlaces() }: Partial<Counting> = {}) {
    this.#keyLimit = keyLimit;
    this.#rates = rates;
    this.#places = places;
  }

  /** Says whether any limit applies to a run now; a run without a limit needs no `admit`. */
  concerns({ orbiset }: Run): boolean {
    return limits(this.#keyLimit) || limits(orbiset.limits ?? {});
  }

  /** Admits a run and returns the function that frees its place. Throws 429 `rate_limited` with Retry-After. */
  async admit(run: Run): Promise<() => void> {
    const bounds = this.#boundsOf(run);
    const taken: Taken[] = [];
    for (const [name, { rate }] of bounds) if (rate !== undefined) taken.push(await this.#take(name, rate));
    const leave = await this.#enter(bounds);
    if (taken.length > 0) run.limited?.(headersOf(taken));
    return leave;
  }

  /** Takes the places of a run that was admitted before it waited. Throws 429 `rate_limited` when there is none. */
  enter(run: Run): Awaitable<() => void> {
    return this.#enter(this.#boundsOf(run));
  }

  /** Counts a denied run against its key. Throws 429 `rate_limited` above the rate that is recorded. */
  async denied({ principal: { key_id } }: Run): Promise<void> {
    const { allowed } = await this.#denied.take(key_id);
    if (!allowed) throw refused('too many runs of this key were denied', 1);
  }

  #boundsOf({ principal, orbiset }: Run): Bounds {
    return [
      [`key ${principal.key_id}`, this.#keyLimit],
      [`orbiset ${orbiset.id}`, orbiset.limits ?? {}],
    ];
  }

  async #take(name: string, { count, window_s }: Rate): Promise<Taken> {
    const taken = await this.#rates.take(name, { count, window_s });
    if (!taken.allowed)
      throw rateLimited(`the limit of ${count} runs in ${window_s} s is reached; wait as Retry-After says`, taken);
    return taken;
  }

  #enter(bounds: Bounds): Awaitable<() => void> {
    const bounded = bounds.flatMap(([name, { concurrency: limit }]) => (limit === undefined ? [] : { name, limit }));
    const leave = (full: Bound | undefined): (() => void) => {
      if (full !== undefined)
        throw refused(`this ${kindOf(full.name)} may have ${full.limit} runs at the same time`, 1);
      return () => this.#places.leave(bounded);
    };
    const full = this.#places.enter(bounded);
    return full instanceof Promise ? full.then(leave) : leave(full);
  }
}

function limits({ rate, concurrency }: Limit): boolean {
  return rate !== undefined || concurrency !== undefined;
}

// Both headers are lists: one member per limit.
function headersOf(taken: readonly Taken[]): Readonly<Record<string, string>> {
  const joined = (name: string): string => taken.map(({ headers }) => headers[name] ?? '').join(', ');
  return { 'RateLimit-Policy': joined('RateLimit-Policy'), RateLimit: joined('RateLimit') };
}

function refused(detail: string, seconds: number): PlatformError {
  return new PlatformError('rate_limited', `${detail}; wait as Retry-After says`, { retry_after: seconds });
}
