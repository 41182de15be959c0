import { join } from 'node:path';
import { load, median, writeScript, type Round } from './load.ts';
import { startEcho, startGoverned, type Target } from './server.ts';

const counts = [1, 32, 256];

/** Prints a governed run beside stock Koa and raw node:http: the same body, the same machine, the same minutes. */
export async function compare(
  dir: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<void> {
  const targets = [
    await startEcho('raw node:http', 'raw.ts'),
    await startEcho('stock Koa', 'stock.ts'),
    await startGoverned(),
  ];
  const scripts = targets.map((target, index) => {
    const path = join(dir, `${index}.lua`);
    writeScript(path, target.key);
    return path;
  });
  const results = new Map<string, Round[]>();
  await each(targets, scripts, 32, 2, () => undefined);
  for (const connections of counts)
    for (let round = 0; round < rounds; round++)
      await each(targets, scripts, connections, seconds, (target, figures) => {
        const key = `${target.name} ${connections}`;
        results.set(key, [...(results.get(key) ?? []), figures]);
      });
  for (const connections of counts) print(targets, connections, results);
  for (const target of targets) {
    process.kill(target.pid, 'SIGCONT');
    await target.stop();
  }
}

async function each(
  targets: readonly Target[],
  scripts: readonly string[],
  connections: number,
  time: number,
  take: (target: Target, figures: Round) => void,
): Promise<void> {
  for (const [index, target] of targets.entries()) {
    process.kill(target.pid, 'SIGCONT');
    take(target, await load(target, scripts[index] ?? '', connections, time));
    // What follows a run, the audit above all, would take from the others: it waits until its server's next turn.
    process.kill(target.pid, 'SIGSTOP');
  }
}

function print(targets: readonly Target[], connections: number, results: ReadonlyMap<string, readonly Round[]>): void {
  const roundsOf = ({ name }: Pick<Target, 'name'>): readonly Round[] => results.get(`${name} ${connections}`) ?? [];
  const figure = (target: Target, of: (round: Round) => number): number => median(roundsOf(target).map(of));
  // Round by round: a machine that has slow minutes has them for both.
  const stock = roundsOf({ name: 'stock Koa' });
  const ofStock = (target: Target): number =>
    median(roundsOf(target).map(({ perSecond }, round) => perSecond / (stock[round]?.perSecond ?? NaN)));
  console.log(
    `\n${connections} connection(s)`.padEnd(22) + '      per s   of stock   CPU µs    p50 ms    p99 ms   errors',
  );
  for (const target of targets) {
    const cells = [
      figure(target, (round) => round.perSecond)
        .toFixed(0)
        .padStart(10),
      `${(ofStock(target) * 100).toFixed(1)} %`.padStart(10),
      figure(target, (round) => round.cpuMicros)
        .toFixed(1)
        .padStart(8),
      figure(target, (round) => round.p50)
        .toFixed(2)
        .padStart(9),
      figure(target, (round) => round.p99)
        .toFixed(2)
        .padStart(9),
      figure(target, (round) => round.errors)
        .toFixed(0)
        .padStart(8),
    ];
    console.log(`  ${target.name.padEnd(20)}${cells.join(' ')}`);
  }
}
