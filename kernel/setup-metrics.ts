import type { Metrics } from './tools/metrics.ts';
import type { Loaded } from './boot/loaded.ts';
import { statSync } from 'node:fs';
import { join } from 'node:path';

interface Setup {
  readonly metrics: Metrics;
  readonly stateDir: string;
}

/** Measures what an operator should look at: warnings of the configuration, and the size of the log of a store in a file. */
export function measureSetup(
  { metrics, stateDir }: Setup,
  { place, warnings }: Pick<Loaded, 'place' | 'warnings'>,
): void {
  metrics.gauge(
    'orb_configuration_warnings',
    'Number of warnings that orb config check gave at the start',
    () => warnings.length,
  );
  if (place.address === undefined)
    metrics.gauge('orb_store_log_bytes', 'Size of the write-ahead log of the store', () => logBytesIn(stateDir));
}

/** Returns the size of the write-ahead log of the store in a state dir, in bytes; 0 when there is none. */
export function logBytesIn(stateDir: string): number {
  return statSync(join(stateDir, 'store.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
}
