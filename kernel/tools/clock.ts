/** The only source of time, so that tests can stop it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
  /** Milliseconds on a clock that never goes back; for durations. */
  monotonic(): number;
}

export const systemClock: Clock = Object.freeze({ now: () => Date.now(), monotonic: () => performance.now() });

/** Makes a clock that shows what another one shows, as that of the shared database, once that is known. */
export function followingClock() {
  let followed: () => number | undefined = systemClock.now;
  return Object.freeze({
    now: () => followed() ?? systemClock.now(),
    monotonic: systemClock.monotonic,
    follow: (now: () => number | undefined) => void (followed = now),
  });
}

let last = { ms: 0, text: new Date(0).toISOString() };
let lastSecond = { second: 0, text: '1970-01-01T00:00:00.' };

/** Formats milliseconds as RFC 3339 UTC with three decimals, e.g. `2026-11-20T20:00:00.342Z`. */
export function timestamp(ms: number): string {
  // Under load the same millisecond is formatted many times, and the same second always.
  if (ms !== last.ms) last = { ms, text: textOf(ms) };
  return last.text;
}

function textOf(ms: number): string {
  const second = Math.floor(ms / 1000);
  const left = ms - second * 1000;
  if (!Number.isInteger(left)) return new Date(ms).toISOString();
  if (second !== lastSecond.second)
    lastSecond = { second, text: new Date(second * 1000).toISOString().slice(0, -'000Z'.length) };
  return `${lastSecond.text}${left < 10 ? '00' : left < 100 ? '0' : ''}${left}Z`;
}
