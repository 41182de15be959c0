import type { Clock, HealthCheck } from '../../../kernel/index.ts';
import type { DeliveryReads } from '../deliveries/reading.ts';

/** How many deliveries wait, counted in memory; the store is asked for the oldest alone. */
export type Backlog = ReturnType<typeof createBacklog>;

const lateSeconds = 60;
const refreshMs = 5_000;

/** Counts from what the store holds at the start; `most`: above it the intake refuses. */
export function createBacklog(reads: DeliveryReads, clock: Clock, most: number) {
  const depths = new Map<string, number>();
  let depth = 0;
  const count = (sourceId: string, by: number): void => {
    const before = depths.get(sourceId) ?? 0;
    const after = Math.max(0, before + by);
    depth += after - before;
    if (after === 0) depths.delete(sourceId);
    else depths.set(sourceId, after);
  };
  for (const waiting of reads.depths()) count(waiting.source_id, waiting.depth);
  let oldest: { readonly at: string | undefined; readonly read: number } | undefined;
  // Health is asked often, the store now and then.
  const oldestAt = (): string | undefined => {
    const now = clock.monotonic();
    if (depth === 0) return undefined;
    if (oldest === undefined || now - oldest.read > refreshMs) oldest = { at: reads.oldest(), read: now };
    return oldest.at;
  };
  const oldestSeconds = (): number => {
    const at = oldestAt();
    return at === undefined ? 0 : Math.max(0, (clock.now() - Date.parse(at)) / 1000);
  };
  return {
    add: count,
    finished: (sourceId: string) => count(sourceId, -1),
    depth: () => depth,
    depthOf: (sourceId: string) => depths.get(sourceId) ?? 0,
    /** Seconds since the oldest that waits was received, those of paused sources left out; 0 when none does. */
    oldestSeconds,
    health(): ReturnType<HealthCheck> {
      if (depth >= most) return { health: 'down', reason: 'too many deliveries wait; new ones are answered 503' };
      const late = oldestSeconds() > lateSeconds;
      return late ? { health: 'degraded', reason: 'deliveries wait for longer than a minute' } : { health: 'up' };
    },
  };
}
