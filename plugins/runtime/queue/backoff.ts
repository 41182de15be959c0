import type { Settled } from '../dispatch/run-record.ts';

const firstMs = 1000;
const longestMs = 300_000;
// The default reason of an ending whose provider gave none.
const defaultS = 5;

/**
 * Returns how long a run waits after a turn that could not be served: each time twice as long, up to 5 minutes, or as
 * long as a provider asked. `turns`: turns before this one; `jitter`: 0–1.
 */
export function backoffMs(turns: number, retryAfter: number | undefined, jitter: number): number {
  const own = Math.min(longestMs, firstMs * 2 ** Math.min(turns, 20)) * (0.5 + jitter / 2);
  return Math.round(Math.max(own, (retryAfter ?? 0) > defaultS ? (retryAfter ?? 0) * 1000 : 0));
}

const harmless: ReadonlySet<string> = new Set(['not_sent', 'throttled', 'provider_fault']);
const later: ReadonlySet<string | undefined> = new Set([
  'provider_unavailable',
  'no_provider_allowed',
  'policy_unavailable',
  'run_timed_out',
  'storage_unavailable',
]);

/** Says whether a turn ended because it cannot be served now, and nothing was done: the run may wait again. */
export function mayWaitAgain({ ending, attempts }: Pick<Settled, 'ending' | 'attempts'>): boolean {
  return later.has(ending.code) && attempts.every(({ outcome }) => harmless.has(outcome));
}
