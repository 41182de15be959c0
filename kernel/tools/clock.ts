/** The only source of time, so that tests can stop it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
  /** Milliseconds on a clock that never goes back; for durations. */
  monotonic(): number;
}

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
});

let last = { ms: 0, text: new Date(0).toISOString() };

/** Formats milliseconds as RFC 3339 UTC with three decimals, e.g. `2026-11-20T20:00:00.342Z`. */
export function timestamp(ms: number): string {
  // Under load the same millisecond is formatted many times.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}
