// npm run bench: a governed run beside stock Koa and raw node:http, the same body, the same machine, the same minutes.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, median, writeScript, type Round } from './load.ts';
import { topFunctions } from './profile.ts';
import { layerCosts, loudNeighbour } from './layers.ts';
import { policyCosts } from './policy.ts';
import { receiptCosts } from './receipts.ts';
import { swapStorm } from './swap.ts';
import { startEcho, startGoverned, type Target } from './server.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const counts = [1, 32, 256];

try {
  execFileSync('wrk', ['-v'], { stdio: 'ignore' });
} catch (error) {
  // wrk answers -v with exit code 1; only its absence is an error.
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
    console.error('the bench needs wrk: apt-get install wrk');
    process.exit(69);
  }
}

const dir = mkdtempSync(join(tmpdir(), 'orb-bench-'));
try {
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}; ${rounds} rounds of ${seconds} s, medians`,
  );
  await compare();
  await profile();
  await layerCosts(dir, { seconds, rounds });
  await loudNeighbour(dir, seconds);
  await policyCosts(dir, { seconds, rounds });
  await receiptCosts(seconds);
  await swapStorm(Number(process.env['BENCH_STORM'] ?? 1));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function compare(): Promise<void> {
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
  for (const target of targets) await target.stop();
}

async function each(
  targets: readonly Target[],
  scripts: readonly string[],
  connections: number,
  time: number,
  take: (target: Target, figures: Round) => void,
): Promise<void> {
  for (const [index, target] of targets.entries())
    take(target, await load(target, scripts[index] ?? '', connections, time));
}

function print(targets: readonly Target[], connections: number, results: ReadonlyMap<string, readonly Round[]>): void {
  const figure = (target: Target, of: (round: Round) => number): number =>
    median((results.get(`${target.name} ${connections}`) ?? []).map(of));
  const stock = targets.find(({ name }) => name === 'stock Koa');
  const base = stock === undefined ? 1 : figure(stock, ({ perSecond }) => perSecond);
  console.log(
    `\n${connections} connection(s)`.padEnd(22) + '      per s   of stock   CPU µs    p50 ms    p99 ms   errors',
  );
  for (const target of targets) {
    const perSecond = figure(target, (round) => round.perSecond);
    const cells = [
      perSecond.toFixed(0).padStart(10),
      `${((perSecond / base) * 100).toFixed(1)} %`.padStart(10),
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

async function profile(): Promise<void> {
  const target = await startGoverned({ profileDir: dir });
  const script = join(dir, 'profile.lua');
  writeScript(script, target.key);
  await load(target, script, 256, seconds);
  await target.stop();
  console.log('\nCPU profile of a governed run at 256 connections (time of its own)');
  for (const { thread, lines } of topFunctions(dir, 15)) console.log(`\n${thread}\n${lines.join('\n')}`);
}
