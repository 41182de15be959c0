import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Limit } from '../../boot/config.ts';
import { PlatformError } from '../../error.ts';
import { createBucket, rateLimited, type Bucket, type Taken } from '../../http/server/limits.ts';
import type { Run } from '../dispatch/run-record.ts';

const deniedPerSecond = 10;

type Bounds = readonly (readonly [name: string, limit: Limit])[];

/**
 * Limits runs per key and per Orbiset, before they are decided, and denials per key, after the decision: 429 without a
 * receipt. Runs are not limited unless configured.
 */
export class RunLimits {
  readonly #keyLimit: Limit;
  readonly #rates = new Map<string, { readonly rate: string; readonly bucket: Bucket }>();
  readonly #running = new Map<string, number>();
  // A denial is a permanent entry in the log: a key may write only a few per second.
  readonly #denied = new RateLimiterMemory({ points: deniedPerSecond, duration: 1 });

  constructor(keyLimit: Limit) {
    this.#keyLimit = keyLimit;
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
    const leave = this.#enter(bounds);
    if (taken.length > 0) run.limited?.(headersOf(taken));
    return leave;
  }

  /** Takes the places of a run that was admitted before it waited. Throws 429 `rate_limited` when there is none. */
  enter(run: Run): () => void {
    return this.#enter(this.#boundsOf(run));
  }

  /** Counts a denied run against its key. Throws 429 `rate_limited` above the rate that is recorded. */
  async denied({ principal: { key_id } }: Run): Promise<void> {
    const { consumedPoints } = await this.#denied.penalty(key_id);
    if (consumedPoints > deniedPerSecond) throw refused('more runs of this key were denied than may be recorded', 1);
  }

  #boundsOf({ principal, orbiset }: Run): Bounds {
    return [
      [`key ${principal.key_id}`, this.#keyLimit],
      [`orbiset ${orbiset.id}`, orbiset.limits ?? {}],
    ];
  }

  async #take(name: string, { count, window_s }: NonNullable<Limit['rate']>): Promise<Taken> {
    const taken = await this.#bucket(name, { count, window_s }).take(name);
    if (!taken.allowed) throw rateLimited(`more than ${count} runs in ${window_s} s; wait as Retry-After says`, taken);
    return taken;
  }

  // A changed Orbiset may have another limit under the same name.
  #bucket(name: string, { count, window_s }: NonNullable<Limit['rate']>): Bucket {
    const rate = `${count}/${window_s}`;
    const known = this.#rates.get(name);
    if (known?.rate === rate) return known.bucket;
    const bucket = createBucket(name.split(' ')[0] ?? '', count, window_s, (id) => id);
    this.#rates.set(name, { rate, bucket });
    return bucket;
  }

  #enter(bounds: Bounds): () => void {
    const bounded = bounds.filter(([, { concurrency }]) => concurrency !== undefined);
    for (const [name, { concurrency = 0 }] of bounded)
      if ((this.#running.get(name) ?? 0) >= concurrency)
        throw refused(`this ${name.split(' ')[0] ?? ''} may have ${concurrency} runs at once`, 1);
    for (const [name] of bounded) this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
    return () => {
      for (const [name] of bounded) {
        const left = (this.#running.get(name) ?? 1) - 1;
        if (left === 0) this.#running.delete(name);
        else this.#running.set(name, left);
      }
    };
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
