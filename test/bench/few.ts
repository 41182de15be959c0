// node test/bench/few.ts FOLDER: this checkout beside another one (a work tree of an earlier commit, installed), on
// PostgreSQL. CPU of the nodes per run with 16 callers on each of three and with 48 on one, and the time of a lone run.
// BENCH_PAIRS: how many pairs of turns (3); BENCH_SECONDS of each (4).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startPostgres, type PostgresServer } from '../helpers/postgres.ts';
import { storeIn } from './database.ts';
import { load, median, writeScript } from './load.ts';
import { startGoverned, type Target } from './server.ts';

const pairs = Number(process.env['BENCH_PAIRS'] ?? 3);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
const here = resolve(import.meta.dirname, '../..');
const other = resolve(process.argv[2] ?? here);

interface Side {
  readonly nodes: readonly Target[];
  readonly spread: number[];
  readonly one: number[];
  readonly lone: number[];
  readonly rate: number[];
}

async function start(checkout: string, name: string, database: PostgresServer): Promise<Side> {
  const env = await storeIn(database, name);
  const nodes: Target[] = [];
  for (const node of ['a', 'b', 'c']) {
    const key = nodes[0]?.key;
    const program = [join(checkout, 'kernel/orb.js'), 'serve', '--json'];
    const settings = { store: { several_nodes: true } };
    nodes.push(await startGoverned({ program, settings, env: { ...env, ORB_NODE: node }, ...(key && { key }) }));
  }
  return { nodes, spread: [], one: [], lone: [], rate: [] };
}

async function turn({ lone, nodes, one, rate, spread }: Side, dir: string): Promise<void> {
  const script = join(dir, 'run.lua');
  writeScript(script, nodes[0]?.key ?? '');
  const all = await Promise.all(nodes.map((node) => load(node, script, 16, seconds)));
  const requests = all.reduce((sum, round) => sum + round.requests, 0);
  spread.push(all.reduce((sum, { cpuMicros, requests: own }) => sum + cpuMicros * own, 0) / Math.max(1, requests));
  rate.push(all.reduce((sum, { perSecond }) => sum + perSecond, 0));
  const [first] = nodes as [Target];
  one.push((await load(first, script, 48, seconds)).cpuMicros);
  lone.push((await load(first, script, 1, seconds)).p50);
}

const dir = mkdtempSync(join(tmpdir(), 'orb-bench-'));
const database = await startPostgres({ durable: true });
const sides: Side[] = [];
try {
  for (const [name, checkout] of [
    ['mine', here],
    ['theirs', other],
  ] as const)
    sides.push(await start(checkout, name, database));
  for (const side of sides) await load(side.nodes[0] as Target, scriptOf(side), 32, 3);
  for (let pair = 0; pair < pairs; pair += 1)
    for (const side of pair % 2 === 0 ? sides : sides.toReversed()) await turn(side, dir);
  for (const [index, { lone, one, rate, spread }] of sides.entries()) {
    const shown = (figures: readonly number[], digits: number): string =>
      `${median(figures).toFixed(digits)} (${figures.map((figure) => figure.toFixed(digits)).join(' ')})`;
    console.log(index === 0 ? here : other);
    console.log(`  3 × 16: ${shown(spread, 0)} µs a run, ${shown(rate, 0)} per s`);
    console.log(`  1 × 48: ${shown(one, 0)} µs a run; a lone run: p50 ${shown(lone, 2)} ms`);
  }
} finally {
  for (const { nodes } of sides) for (const node of nodes) await node.stop();
  await database.stop();
  rmSync(dir, { recursive: true, force: true });
}

function scriptOf({ nodes }: Side): string {
  const path = join(dir, 'warm.lua');
  writeScript(path, nodes[0]?.key ?? '');
  return path;
}
