import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOnDisk, bytesWritten } from './full-bytes.ts';
import { readInTurns, type Often } from './full-reads.ts';
import { requestsOf } from './full-requests.ts';
import { startTimes, untilLedgerUp } from './full-start.ts';
import { fill, heldIn, serve } from './full-store.ts';
import { quiet } from './quiet.ts';

/** How the part is run. */
export interface FullOptions extends Often {
  /** How often a start is measured. */
  readonly starts: number;
  /** How many lone runs are measured. */
  readonly lone: number;
}

/** A filled home. */
interface Store {
  readonly name: string;
  readonly home: string;
}

const smallRuns = 1000;
const fullRuns = 10_000;
const largeRuns = 1_000_000;

/**
 * Prints what a server with a full store takes for every list and read, how long its thread stalls, how it starts, and
 * what a run takes on disk; each beside a store of 1,000 runs. Full: 10^4 runs, and 10^6 with BENCH_FULL=1, in the home
 * BENCH_FULL_HOME, which is kept and not filled again; without it in a folder of its own.
 */
export async function fullStore(dir: string, options: FullOptions): Promise<void> {
  const small = await filled(join(dir, 'small'), smallRuns);
  await besides(small, await filled(join(dir, 'full'), fullRuns), options);
  if (process.env['BENCH_FULL'] !== '1') return;
  const large = await filled(process.env['BENCH_FULL_HOME'] ?? join(dir, 'large'), largeRuns);
  await besides(small, large, options);
}

async function filled(home: string, runs: number): Promise<Store> {
  const reused = existsSync(join(home, 'data/state/store.db'));
  const target = await serve(home);
  const begun = performance.now();
  try {
    if (!reused) await fill(target, runs);
    await untilLedgerUp(target);
    await quiet(target.pid);
  } finally {
    await target.stop();
  }
  const held = heldIn(home);
  const how = reused ? `${home} is used as it is` : `filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`;
  const { audited, deliveries, incidents, swaps } = held;
  const rows = `${held.runs} runs, ${deliveries} deliveries, ${incidents} incidents, ${swaps} swaps`;
  console.log(`  ${rows}: ${how}; ${audited} entries audited`);
  return { name: String(held.runs), home };
}

async function besides(small: Store, full: Store, options: FullOptions): Promise<void> {
  const targets = { small: await serve(small.home), full: await serve(full.home) };
  try {
    const side = (which: 'small' | 'full', { name, home }: Store) => ({
      ...{ name, target: targets[which] },
      requests: requestsOf(home),
    });
    const sides = [side('small', small), side('full', full)] as const;
    await Promise.all([untilLedgerUp(targets.small), untilLedgerUp(targets.full)]);
    await readInTurns(...sides, options);
    await bytesWritten(...sides, options.lone);
  } finally {
    await Promise.all([targets.small.stop(), targets.full.stop()]);
  }
  await startTimes(small, full, options.starts);
  bytesOnDisk(small, full);
}
