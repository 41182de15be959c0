import { join } from 'node:path';
import { howToInstallPostgres, postgresFolder, startPostgres, type PostgresServer } from '../helpers/postgres.ts';
import { databaseMicros, storeIn } from './database.ts';
import { load, median, writeScript } from './load.ts';
import { quiet } from './quiet.ts';
import { slowly } from './postgres-delay.ts';
import { startGoverned, type Target } from './server.ts';
import { printTable, times, type Row } from './table.ts';
import { readThreadCpu } from './thread-cpu.ts';

const counts = [1, 32, 256] as const;
const kinds = [
  { name: 'effect-free', keyed: false },
  { name: 'with an Idempotency-Key', keyed: true },
] as const;
const delayMs = 1;

interface Options {
  readonly seconds: number;
  readonly rounds: number;
}

/** What one round of load took, in microseconds of CPU per run. */
interface Costs {
  readonly perSecond: number;
  readonly writer: number;
  readonly server: number;
  readonly database: number;
  readonly p50: number;
  readonly errors: number;
}

type Figures = Map<string, Costs[]>;

/** Prints what a run costs on PostgreSQL beside one on SQLite, both under load in turn, and what a slow network adds. */
export async function postgresCosts(dir: string, options: Options): Promise<void> {
  if (postgresFolder() === undefined) return console.log(`  ${howToInstallPostgres}`);
  const database = await startPostgres({ durable: true });
  const targets = new Map<string, Target>();
  try {
    targets.set('SQLite', await startGoverned());
    targets.set('PostgreSQL', await startGoverned({ env: await storeIn(database, 'bench') }));
    const figures: Figures = new Map();
    for (const target of targets.values()) await loaded(dir, { target, connections: 64, seconds: 3, keyed: false });
    for (let round = 0; round < options.rounds; round++)
      for (const { name, keyed } of kinds)
        for (const connections of counts)
          for (const [engine, target] of targets) {
            for (const one of targets.values()) await quiet(one.pid);
            const costs = await measured(dir, database, { target, connections, keyed, seconds: options.seconds });
            const id = `${engine} ${name} ${connections}`;
            figures.set(id, [...(figures.get(id) ?? []), costs]);
          }
    print(figures);
  } finally {
    for (const target of targets.values()) await target.stop();
    try {
      await slowNetwork(dir, database, options.seconds);
    } finally {
      await database.stop();
    }
  }
}

interface Load {
  readonly target: Target;
  readonly connections: number;
  readonly seconds: number;
  readonly keyed: boolean;
}

function loaded(dir: string, { target, connections, seconds, keyed }: Load) {
  const script = join(dir, 'postgres.lua');
  writeScript(script, target.key, { keyed });
  return load(target, script, connections, seconds);
}

async function measured(dir: string, database: PostgresServer, one: Load): Promise<Costs> {
  const before = [writerMicros(one.target.pid), databaseMicros(database.pid())] as const;
  const { requests, perSecond, cpuMicros, p50, errors } = await loaded(dir, one);
  const perRun = (used: number): number => used / Math.max(1, requests);
  return {
    ...{ perSecond, p50, errors, server: cpuMicros },
    writer: perRun(writerMicros(one.target.pid) - before[0]),
    database: perRun(databaseMicros(database.pid()) - before[1]),
  };
}

const writerMicros = (pid: number): number => readThreadCpu(pid).get('writer') ?? 0;

function print(figures: Figures): void {
  const heads = ['per s', 'of SQLite', 'p50 ms', 'writer µs', 'more', 'server µs', 'database µs', 'errors'];
  for (const { name } of kinds) {
    const rows = counts.flatMap((connections) =>
      ['SQLite', 'PostgreSQL'].map((engine): Row => {
        const of = (which: string, pick: (costs: Costs) => number): number =>
          median((figures.get(`${which} ${name} ${connections}`) ?? []).map(pick));
        const mine = (pick: (costs: Costs) => number): number => of(engine, pick);
        const writer = ({ writer: used }: Costs): number => used;
        const perSecond = mine((costs) => costs.perSecond);
        const isFile = engine === 'SQLite';
        return [
          `${engine}, ${connections} connection${connections === 1 ? '' : 's'}`,
          perSecond.toFixed(0),
          times(
            perSecond,
            of('SQLite', (costs) => costs.perSecond),
          ),
          mine((costs) => costs.p50).toFixed(1),
          mine(writer).toFixed(0),
          isFile ? '' : (mine(writer) - of('SQLite', writer)).toFixed(0),
          mine((costs) => costs.server).toFixed(0),
          isFile ? '' : mine((costs) => costs.database).toFixed(0),
          mine((costs) => costs.errors).toFixed(0),
        ];
      }),
    );
    printTable(`A run, ${name}`, heads, rows);
  }
  console.log('  goal: the writer takes at most 70 µs more than on SQLite');
  console.log('  CPU per run: of the thread that writes, of the whole server, and of all processes of the database');
}

/** Prints how long one caller waits when each message to the database and each answer takes a while longer. */
async function slowNetwork(dir: string, database: PostgresServer, seconds: number): Promise<void> {
  const slow = await slowly(join(database.folder, '.s.PGSQL.5432'), delayMs);
  const url = `postgres://orb@127.0.0.1:${slow.port}/slow`;
  const target = await startGoverned({ env: await storeIn(database, 'slow', url) });
  try {
    await loaded(dir, { target, connections: 1, seconds: 2, keyed: false });
    const { p50, p99, perSecond } = await loaded(dir, { target, connections: 1, seconds, keyed: false });
    const cells = [perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1)];
    printTable('One caller, effect-free', ['per s', 'p50 ms', 'p99 ms'], [[`${delayMs} ms more each way`, ...cells]]);
    console.log('  goal: p50 at most 8 ms');
  } finally {
    await target.stop();
    await slow.close();
  }
}
