import type { Clock, HealthCheck } from '../../../kernel/index.ts';
import type { LedgerReads } from '../ledger/reading.ts';

/** How many deliveries wait, counted in memory; the ledger is asked for the oldest alone. */
export interface Backlog {
  add(count: number): void;
  finished(): void;
  depth(): number;
  /** Seconds since the oldest that waits was received; 0 when none does. */
  oldestSeconds(): number;
  readonly health: HealthCheck;
}

const lateSeconds = 60;
const refreshMs = 5_000;

/** Counts from what the ledger holds at the start; `most`: above it the door is shut. */
export function createBacklog(reads: LedgerReads, clock: Clock, most: number): Backlog {
  let depth = reads.queue().depth;
  let oldest: { readonly at: string | undefined; readonly read: number } | undefined;
  // Health is asked often, the ledger now and then.
  const oldestAt = (): string | undefined => {
    const now = clock.monotonic();
    if (depth === 0) return undefined;
    if (oldest === undefined || now - oldest.read > refreshMs) oldest = { at: reads.queue().oldest, read: now };
    return oldest.at;
  };
  const oldestSeconds = (): number => {
    const at = oldestAt();
    return at === undefined ? 0 : Math.max(0, (clock.now() - Date.parse(at)) / 1000);
  };
  return {
    add: (count) => (depth += count),
    finished: () => (depth = Math.max(0, depth - 1)),
    depth: () => depth,
    oldestSeconds,
    health() {
      if (depth >= most) return { health: 'down', reason: 'too many deliveries wait; new ones are answered 503' };
      const late = oldestSeconds() > lateSeconds;
      return late ? { health: 'degraded', reason: 'deliveries wait for longer than a minute' } : { health: 'up' };
    },
  };
}
