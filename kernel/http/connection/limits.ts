import { randomInt } from 'node:crypto';
import { RateLimiterMemory } from '../../tools/packages/rate-limiter.cjs';
import { PlatformError } from '../../error.ts';
import type { Clock } from '../../tools/clock.ts';
import { addressBlock } from './address.ts';

/** The result of one request for its bucket. */
export interface Taken {
  readonly allowed: boolean;
  /** Seconds until the bucket is full again, rounded up. */
  readonly reset_s: number;
  /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts requests per address, or per any other slot. */
export interface Bucket {
  take(address: string): Promise<Taken>;
}

/** Creates a bucket of `quota` requests per `window_s` seconds and address; `slot` maps an address to its counter. */
export function createBucket(
  name: string,
  quota: number,
  window_s: number,
  slot: (id: string) => string | number = createSlots(),
): Bucket {
  const limiter = new RateLimiterMemory({ points: quota, duration: window_s });
  return {
    async take(address) {
      // `penalty` counts like `consume`, but resolves on an empty bucket instead of rejecting.
      const { consumedPoints, msBeforeNext: left_ms, remainingPoints: left } = await limiter.penalty(slot(address));
      return takenOf({ name, quota, window_s }, { allowed: consumedPoints <= quota, left, left_ms });
    },
  };
}

/** Makes the result of one request. `left`: requests that the window still has; `left_ms`: how long it lasts. */
export function takenOf(
  { name, quota, window_s }: { readonly name: string; readonly quota: number; readonly window_s: number },
  { allowed, left, left_ms }: { readonly allowed: boolean; readonly left: number; readonly left_ms: number },
): Taken {
  // The limiter uses the wall clock, which may be set back; the window itself ends by a timer.
  const reset_s = Math.min(Math.ceil(window_s), Math.max(1, Math.ceil(left_ms / 1000)));
  const headers = {
    'RateLimit-Policy': `"${name}";q=${quota};w=${window_s}`,
    RateLimit: `"${name}";r=${left};t=${reset_s}`,
  };
  return { allowed, reset_s, headers };
}

/** Makes the answer to an empty bucket. */
export function rateLimited(detail: string, taken: Taken): PlatformError {
  return new PlatformError('rate_limited', detail, { retry_after: taken.reset_s, headers: taken.headers });
}

// Addresses share a fixed number of slots, so memory is bounded for any number of callers; because of the seed, a
// caller cannot choose addresses that share another caller's slot.
function createSlots(): (address: string) => number {
  const seed = randomInt(0x1_0000_0000);
  return (address) => {
    let hash = seed;
    const block = addressBlock(address);
    for (let i = 0; i < block.length; i++) hash = Math.imul(hash ^ block.charCodeAt(i), 0x01000193);
    return (hash ^ (hash >>> 16)) & 0xffff;
  };
}

const slotMs = 20;
const burst = 10;
const longestMs = 1000;
const mostCallers = 10_000;

/**
 * Spreads the refusals of one caller over time, so that a refused caller cannot keep the process busy by repeating: 50 per
 * second, after eleven at once. The function takes the next slot of a caller, and returns how long it waits, ms: at most
 * 1 s. `slots`: caller → time of its next slot.
 */
export function createPace(
  clock: Pick<Clock, 'monotonic'>,
  slots = new Map<string, number>(),
): (caller: string) => number {
  return (caller) => {
    const now = clock.monotonic();
    const slot = Math.min(Math.max(slots.get(caller) ?? 0, now - burst * slotMs), now + longestMs);
    // Map order: the caller that was silent longest is first, and is dropped first when there are too many.
    slots.delete(caller);
    slots.set(caller, slot + slotMs);
    if (slots.size > mostCallers) slots.delete(slots.keys().next().value ?? '');
    return Math.max(0, slot - now);
  };
}
