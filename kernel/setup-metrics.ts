import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Loaded } from './boot/loaded.ts';
import type { Metrics } from './tools/metrics.ts';

/** Measures what an operator should look at: warnings of the configuration, and the size of the log of a store in a file. */
export function measureSetup(
  { metrics, stateDir }: { readonly metrics: Metrics; readonly stateDir: string },
  { place, warnings }: Pick<Loaded, 'place' | 'warnings'>,
): void {
  const warned = 'Number of warnings that orb config check gave at the start';
  metrics.gauge('orb_configuration_warnings', warned, () => warnings.length);
  if (place.address !== undefined) return;
  const bytes = (): number => statSync(join(stateDir, 'store.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
  metrics.gauge('orb_store_log_bytes', 'Size of the write-ahead log of the store', bytes);
}
