import type { Clock, HealthCheck } from '../../../../kernel/index.ts';
import type { DeliveryReads, Depth } from '../reading.ts';

/**
 * Number of waiting deliveries, counted in memory; the age of the oldest comes from the store, and with several nodes the
 * number too, twice a second.
 */
export type Backlog = Awaited<ReturnType<typeof createBacklog>>;

const lateSeconds = 60;
const refreshMs = 5_000;

/** Creates the counter from the stored deliveries at the start; `most`: limit above which the intake refuses. */
export async function createBacklog(reads: Pick<DeliveryReads, 'depths' | 'oldest'>, clock: Clock, most: number) {
  const depths = new Map<string, number>();
  let depth = 0;
  const count = (sourceId: string, by: number): void => {
    const before = depths.get(sourceId) ?? 0;
    const after = Math.max(0, before + by);
    depth += after - before;
    if (after === 0) depths.delete(sourceId);
    else depths.set(sourceId, after);
  };
  const learn = (found: readonly Depth[]): void => {
    depths.clear();
    depth = 0;
    for (const waiting of found) count(waiting.source_id, waiting.depth);
  };
  learn(await reads.depths());
  let oldest: { readonly at: string | undefined; readonly read: number } | undefined;
  const refresh = (): void => {
    const read = clock.monotonic();
    if (oldest !== undefined && read - oldest.read <= refreshMs) return;
    const at = reads.oldest();
    if (at instanceof Promise) {
      // A health check does not wait: it returns the last known value.
      oldest = { at: oldest?.at, read };
      const known = (found: string | undefined): void => void (oldest = { at: found, read });
      at.then(known, () => undefined);
    } else oldest = { at, read };
  };
  // Health checks are frequent, so the stored value is cached.
  const oldestAt = (): string | undefined => {
    if (depth === 0) return undefined;
    refresh();
    return oldest?.at;
  };
  const oldestSeconds = (): number => {
    const at = oldestAt();
    return at === undefined ? 0 : Math.max(0, (clock.now() - Date.parse(at)) / 1000);
  };
  return {
    add: count,
    /** Takes what is stored, where other nodes accept and process too: between two calls it is counted here. */
    learn,
    finished: (sourceId: string) => count(sourceId, -1),
    depth: () => depth,
    depthOf: (sourceId: string) => depths.get(sourceId) ?? 0,
    /**
     * Returns the seconds since the oldest waiting delivery was received, without paused sources; 0 when none waits.
     */
    oldestSeconds,
    health(): ReturnType<HealthCheck> {
      if (depth >= most) return { health: 'down', reason: 'too many deliveries are waiting; new ones get 503' };
      const late = oldestSeconds() > lateSeconds;
      return late ? { health: 'degraded', reason: 'deliveries wait longer than a minute' } : { health: 'up' };
    },
  };
}
