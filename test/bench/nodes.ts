import { cpus } from 'node:os';
import { join } from 'node:path';
import { howToInstallPostgres, postgresFolder, startPostgres, type PostgresServer } from '../helpers/postgres.ts';
import { databaseMicros, storeIn } from './database.ts';
import { load, median, writeScript } from './load.ts';
import { quiet } from './quiet.ts';
import { startGoverned, type Target } from './server.ts';
import { printTable, times, type Row } from './table.ts';

const connections = 96;
const most = 3;
const eight = 8;
const settings = { store: { several_nodes: true } };

interface Options {
  readonly seconds: number;
  readonly rounds: number;
}

/** What one round of load on some nodes took; CPU in microseconds per run. */
interface Costs {
  readonly perSecond: number;
  readonly nodes: number;
  readonly database: number;
  readonly errors: number;
}

/** Prints how many runs 1, 2 and 3 nodes on one database serve, what a run costs each and the database, and what follows. */
export async function nodeCosts(dir: string, { rounds, seconds }: Options): Promise<void> {
  if (postgresFolder() === undefined) return console.log(`  ${howToInstallPostgres}`);
  const database = await startPostgres({ durable: true });
  const nodes: Target[] = [];
  try {
    const env = await storeIn(database, 'nodes');
    const figures: Costs[] = [];
    for (let number = 1; number <= most; number += 1) {
      const key = nodes[0]?.key;
      nodes.push(await startGoverned({ settings, env: { ...env, ORB_NODE: `n${number}` }, ...(key && { key }) }));
      await loaded(dir, nodes, 3);
      const all: Costs[] = [];
      for (let round = 0; round < rounds; round += 1) all.push(await measured(dir, { nodes, database, seconds }));
      const of = (pick: (costs: Costs) => number): number => median(all.map(pick));
      figures.push({
        perSecond: of((costs) => costs.perSecond),
        nodes: of((costs) => costs.nodes),
        database: of((costs) => costs.database),
        errors: of((costs) => costs.errors),
      });
    }
    print(figures);
  } finally {
    for (const node of nodes) await node.stop();
    await database.stop();
  }
}

async function loaded(dir: string, nodes: readonly Target[], seconds: number) {
  const each = Math.max(1, Math.floor(connections / nodes.length));
  return Promise.all(
    nodes.map((node) => {
      const script = join(dir, `${node.pid}.lua`);
      writeScript(script, node.key);
      return load(node, script, each, seconds);
    }),
  );
}

interface Load {
  readonly nodes: readonly Target[];
  readonly database: PostgresServer;
  readonly seconds: number;
}

async function measured(dir: string, { database, nodes, seconds }: Load): Promise<Costs> {
  for (const { pid } of nodes) await quiet(pid);
  const before = databaseMicros(database.pid());
  const all = await loaded(dir, nodes, seconds);
  const sum = (pick: (round: (typeof all)[number]) => number): number =>
    all.reduce((total, one) => total + pick(one), 0);
  const requests = Math.max(
    1,
    sum((one) => one.requests),
  );
  return {
    perSecond: sum((one) => one.perSecond),
    nodes: sum((one) => one.cpuMicros * one.requests) / requests,
    database: (databaseMicros(database.pid()) - before) / requests,
    errors: sum((one) => one.errors),
  };
}

function print(figures: readonly Costs[]): void {
  const rows = figures.map((costs, index): Row => [
    `${index + 1} node${index === 0 ? '' : 's'}`,
    costs.perSecond.toFixed(0),
    times(costs.perSecond, figures[0]?.perSecond ?? 1),
    costs.nodes.toFixed(0),
    costs.database.toFixed(0),
    costs.errors.toFixed(0),
  ]);
  printTable(
    `A run, ${connections} connections over all nodes`,
    ['per s', 'of one', 'node µs', 'database µs', 'errors'],
    rows,
  );
  console.log(`  CPU per run: of the node that serves it, and of the database. All share ${cpus().length} cores here.`);
  const last = figures.at(-1);
  if (last === undefined) return;
  const perCore = (micros: number): number => 1_000_000 / micros;
  const databaseCores = (last.database * eight) / last.nodes;
  console.log(
    `  ${eight} nodes with a core each, and the database on a machine of its own: ${(eight * perCore(last.nodes)).toFixed(0)} per s,` +
      ` for which the database takes ${databaseCores.toFixed(1)} cores; one core of it is full at ${perCore(last.database).toFixed(0)} per s`,
  );
}
