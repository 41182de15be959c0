import { createServed } from '../helpers/served.ts';
import { storm } from '../helpers/storm.ts';

/** Prints a swap storm in full size, and what changing the provider by a restart would cost instead. */
export async function swapStorm(size: number): Promise<void> {
  const report = await storm({ swaps: 200 * size, runs: 20_000 * size, callers: 32 });
  const restart = await restartTime();
  const ms = (figure: number): string => `${figure.toFixed(1)} ms`;
  const rows: readonly (readonly [string, string | number])[] = [
    ['runs / swaps / refused candidates', `${report.runs} / ${report.swaps} / ${report.refused}`],
    ['failed runs', report.failed],
    ['tokens seen twice', report.doubled],
    ['completed runs no provider saw', report.missing],
    ['calls on a closed provider', report.late],
    ['receipts that name another generation', report.mismatched],
    ['openings leaked', report.leaked],
    ['run p50 / p99 outside the storm', `${ms(report.quiet[0])} / ${ms(report.quiet[1])}`],
    ['run p50 / p99 inside the storm', `${ms(report.stormy[0])} / ${ms(report.stormy[1])}`],
    ['swap, call to effect (median)', ms(report.toEffect)],
    ['rollback', ms(report.rollback)],
    ['the same change by a restart: unreachable for', `${ms(restart)} (${(restart / report.toEffect).toFixed(0)} ×)`],
  ];
  console.log('\nSwap storm, 32 callers, three providers');
  for (const [name, value] of rows) console.log(`  ${name.padEnd(46)} ${value}`);
}

// From SIGTERM until the port answers again.
async function restartTime(): Promise<number> {
  const served = createServed();
  try {
    await served.start();
    const begun = performance.now();
    await served.stop();
    await served.start();
    return performance.now() - begun;
  } finally {
    await served.remove();
  }
}
