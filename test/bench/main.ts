// npm run bench: all parts, or the one that BENCH_ONLY names. BENCH_SECONDS, BENCH_ROUNDS: how long and how often a load is
// measured; BENCH_STORM, BENCH_DELIVERIES, BENCH_RUNS, BENCH_REST, BENCH_STARTS, BENCH_ENTRIES, BENCH_READS, BENCH_LISTED,
// BENCH_LONE: sizes of single parts. BENCH_FULL=1: logs and stores of 10^6 as well; BENCH_FULL_HOME: the home of that store, kept.
// BENCH_CONTEXTFORGE=1: the part mcp installs ContextForge below dist/ and measures beside it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncCosts } from './async.ts';
import { consoleScreens } from './console.ts';
import { coldStarts } from './cold-start.ts';
import { compare } from './compare.ts';
import { fullStore } from './full.ts';
import { layerCosts, loudNeighbour } from './layers.ts';
import { listTimes } from './lists.ts';
import { mcpCosts } from './mcp.ts';
import { memoryUse } from './memory.ts';
import { nodeCosts } from './nodes.ts';
import { policyCosts } from './policy.ts';
import { postgresCosts } from './postgres.ts';
import { profileRun } from './profile.ts';
import { receiptCosts } from './receipts.ts';
import { stackCosts } from './stack.ts';
import { swapStorm } from './swap.ts';
import { webhookBurst } from './webhooks.ts';

const option = (name: string, otherwise: number): number => Number(process.env[`BENCH_${name}`] ?? otherwise);
const seconds = option('SECONDS', 5);
const rounds = option('ROUNDS', 3);

interface Part {
  readonly name: string;
  readonly title: string;
  readonly run: (dir: string) => Promise<void>;
}

const parts: readonly Part[] = [
  { name: 'compare', title: 'A governed run beside stock Koa', run: (dir) => compare(dir, { seconds, rounds }) },
  { name: 'stack', title: 'What each layer costs', run: (dir) => stackCosts(dir, { seconds, rounds }) },
  { name: 'layers', title: 'What a run can ask for beside', run: (dir) => layerCosts(dir, { seconds, rounds }) },
  { name: 'neighbour', title: 'A loud neighbour', run: (dir) => loudNeighbour(dir, seconds) },
  { name: 'policy', title: 'Policy', run: (dir) => policyCosts(dir, { seconds, rounds }) },
  { name: 'receipts', title: 'Receipts', run: () => receiptCosts(seconds) },
  { name: 'json', title: 'Reading a body of many keys', run: async () => inOwnProcess('json.ts') },
  {
    name: 'ledger',
    title: 'Folding one entry into the ledger',
    run: async () => inOwnProcess('ledger.ts', String(option('ENTRIES', 1_000_000))),
  },
  { name: 'swap', title: 'Swaps', run: () => swapStorm(option('STORM', 1)) },
  {
    name: 'webhooks',
    title: 'A burst of webhooks',
    run: (dir) => webhookBurst(dir, { seconds, count: option('DELIVERIES', 5000) }),
  },
  {
    name: 'memory',
    title: 'Memory',
    run: (dir) => memoryUse(dir, { runs: option('RUNS', 20_000), rest: option('REST', 20) }),
  },
  { name: 'mcp', title: 'Tools for agents', run: (dir) => mcpCosts(dir, { seconds, rounds }) },
  { name: 'async', title: 'Runs that wait', run: (dir) => asyncCosts(dir, { seconds, rounds }) },
  { name: 'console', title: 'Screens of the console', run: (dir) => consoleScreens(dir, option('LOOKS', 5)) },
  {
    name: 'lists',
    title: 'Lists and search',
    run: (dir) => listTimes(dir, { runs: option('LISTED', 100_000), reads: option('READS', 30) }),
  },
  { name: 'start', title: 'Cold start', run: () => coldStarts(option('STARTS', 5)) },
  { name: 'postgres', title: 'On PostgreSQL', run: (dir) => postgresCosts(dir, { seconds, rounds }) },
  { name: 'nodes', title: 'Several nodes', run: (dir) => nodeCosts(dir, { seconds, rounds }) },
  {
    name: 'full',
    title: 'A full store',
    run: (dir) =>
      fullStore(dir, { seconds, reads: option('READS', 200), starts: option('STARTS', 5), lone: option('LONE', 200) }),
  },
  { name: 'profile', title: 'CPU profile, 256 connections', run: (dir) => profileRun(dir, seconds) },
];

// What such a part measures is the CPU time of a whole process, or what V8 has learnt in it.
function inOwnProcess(file: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(import.meta.dirname, file), ...args], { stdio: 'inherit' });
}

function chosen(): readonly Part[] {
  const only = process.env['BENCH_ONLY'];
  const found = parts.filter(({ name }) => only === undefined || name === only);
  if (found.length > 0) return found;
  console.error(`there is no part ${only ?? ''}; BENCH_ONLY is one of ${parts.map(({ name }) => name).join(', ')}`);
  process.exit(64);
}

function needWrk(): void {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' });
  } catch (error) {
    // wrk answers -v with exit code 1; only its absence is an error.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    console.error('the bench needs wrk: apt-get install wrk');
    process.exit(69);
  }
}

const wanted = chosen();
needWrk();
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}; ${rounds} rounds of ${seconds} s, medians`,
);
for (const { name, title, run } of wanted) {
  console.log(`\n== ${title} (${name})`);
  const dir = mkdtempSync(join(tmpdir(), 'orb-bench-'));
  try {
    await run(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
