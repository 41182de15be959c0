/** How long and how hard a soak is; times in milliseconds. */
export interface Settings {
  readonly lengthMs: number;
  /** Starts of the server from outside: when after the begin, and by which signal it is ended before. */
  readonly restarts: readonly { readonly atMs: number; readonly signal: 'SIGTERM' | 'SIGKILL' }[];
  /** Multiplies the pause of every actor: 1 is about 25 runs a second. */
  readonly pause: number;
  readonly sampleMs: number;
  /** How often the server is made to collect its garbage, for a sample of what lives. */
  readonly collectMs: number;
  /** Receipts that the command verifies at the end. */
  readonly verified: number;
}

/**
 * Plans a soak of some minutes. Restarts come every tenth of the time, every five minutes at most, SIGTERM and SIGKILL
 * in turn, in the first two fifths; the rest is one life of the server, long enough for a slope that means something.
 */
export function planSoak(minutes: number, pause = 1): Settings {
  const lengthMs = minutes * 60_000;
  const every = Math.min(Math.max(lengthMs / 10, 4000), 300_000);
  const count = Math.max(2, Math.floor((lengthMs * 0.4) / every));
  return {
    lengthMs,
    restarts: Array.from({ length: count }, (_, index) => ({
      atMs: (index + 1) * every,
      signal: index % 2 === 0 ? 'SIGTERM' : 'SIGKILL',
    })),
    pause,
    sampleMs: minutes < 1 ? 500 : 2000,
    collectMs: minutes < 1 ? 3000 : 60_000,
    verified: minutes < 1 ? 3 : 20,
  };
}
