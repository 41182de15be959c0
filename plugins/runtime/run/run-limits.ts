import type { Run } from '../dispatch/run-record.ts';
import { OwnPlaces, type Bound, type Places } from './limits/places.ts';
import { kindOf, OwnRates, type Rate, type Rates } from './limits/rates.ts';
import { PlatformError, type Awaitable, type Clock } from '../../../kernel/index.ts';
import { createBucket, rateLimited, type Limit, type Taken } from '../../../kernel/runner.ts';

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
    return this.concerns(run) ? this.#enter(this.#boundsOf(run)) : free;
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

  // Of several limits it takes a place of each, or none at all; in memory at once, so that no other run comes in between.
  async #enter(bounds: Bounds): Promise<() => void> {
    const entered: Bound[] = [];
    const leave = (): void => entered.forEach((bound) => this.#places.leave(bound));
    try {
      for (const [name, { concurrency: limit }] of bounds) {
        if (limit === undefined) continue;
        const entering = this.#places.enter({ name, limit });
        if (!(entering instanceof Promise ? await entering : entering))
          throw refused(`this ${kindOf(name)} may have ${limit} runs at the same time`, 1);
        entered.push({ name, limit });
      }
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

const free = (): void => undefined;

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

// Enough to fill a commit, and few enough that later writes need not wait long.
const share = 8;
const contendedMs = 100;

interface Tenant {
  /** Time of its last request. */
  at: number;
  working: number;
  readonly waiting: (() => void)[];
}

/**
 * Shares the writer between tenants: while several record results at once, none has more than 8 under way, so that a
 * tenant with many runs delays only its own. A single active tenant is not held back.
 */
export class TenantShare {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #tenants = new Map<string, Tenant>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Takes a turn of a tenant, immediately or when another turn of the tenant ends; the caller must then call `leave`.
   */
  enter(name: string): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    const tenant = this.#tenants.get(name) ?? { at: now, working: 0, waiting: [] };
    this.#tenants.set(name, tenant);
    tenant.at = now;
    if (tenant.working < share || !this.#contended(name, now)) {
      tenant.working += 1;
      return undefined;
    }
    return new Promise((resolve) => tenant.waiting.push(resolve));
  }

  /** Ends a turn. The next waiting call of the same tenant takes it, or all of them when no other tenant is active. */
  leave(name: string): void {
    const tenant = this.#tenants.get(name);
    if (tenant === undefined) return;
    tenant.working -= 1;
    const now = this.#clock.monotonic();
    const free = this.#contended(name, now) ? share - tenant.working : tenant.waiting.length;
    for (const go of tenant.waiting.splice(0, Math.max(0, free))) {
      tenant.working += 1;
      go();
    }
  }

  #contended(name: string, now: number): boolean {
    if (this.#tenants.size < 2) return false;
    for (const [other, { at, working }] of this.#tenants) {
      if (other === name) continue;
      if (working > 0 || now - at <= contendedMs) return true;
      this.#tenants.delete(other);
    }
    return false;
  }
}

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
