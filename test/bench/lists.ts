import { join } from 'node:path';
import { Pool } from 'undici';
import { howToInstallPostgres, postgresFolder, startPostgres } from '../helpers/postgres.ts';
import { storeIn } from './database.ts';
import { getter } from './full-get.ts';
import { untilLedgerUp } from './full-start.ts';
import { fill, serveIn } from './full-store.ts';
import { listRequests } from './list-requests.ts';
import { quiet } from './quiet.ts';
import type { Target } from './server.ts';
import { printTable, type Row } from './table.ts';

/** How the part is run. */
export interface ListOptions {
  /** How many runs the stores hold. */
  readonly runs: number;
  /** How often each list is read. */
  readonly reads: number;
}

const warmUp = 3;
const goalMs = 100;

/**
 * Prints how long the lists of the console take, with each filter, and its search, in a store of many runs: on SQLite, and
 * on PostgreSQL where it is installed.
 */
export async function listTimes(dir: string, options: ListOptions): Promise<void> {
  await engineTimes('SQLite', join(dir, 'sqlite'), {}, options);
  if (postgresFolder() === undefined) return console.log(`  ${howToInstallPostgres}`);
  const database = await startPostgres({ durable: true });
  try {
    await engineTimes('PostgreSQL', join(dir, 'postgres'), await storeIn(database, 'lists'), options);
  } finally {
    await database.stop();
  }
}

async function engineTimes(engine: string, home: string, env: Readonly<Record<string, string>>, options: ListOptions) {
  const target = await serveIn(home, env);
  try {
    await fill(target, options.runs);
    await untilLedgerUp(target);
    await quiet(target.pid);
    await printTimes(engine, target, options);
  } finally {
    await target.stop();
  }
}

async function printTimes(engine: string, target: Target, { runs, reads }: ListOptions): Promise<void> {
  const pool = new Pool(target.url, { connections: 1 });
  const get = getter(target, pool);
  const rows: Row[] = [];
  for (const path of await listRequests(async (one) => JSON.parse((await get(one)).text) as never)) {
    const took: number[] = [];
    let [bytes, items]: [number, number | undefined] = [0, undefined];
    for (let time = 0; time < warmUp + reads; time += 1) {
      const got = await get(path);
      if (time >= warmUp) took.push(got.took);
      [bytes, items] = [got.text.length, itemsOf(got.text)];
    }
    took.sort((a, b) => a - b);
    const [p50 = NaN, p95 = NaN] = [0.5, 0.95].map((share) => took[Math.floor(took.length * share)]);
    const shown = path.replace(/(cursor|from|to)=[^&]+/g, '$1=…').replace(/_[0-9A-Z]{26}/g, '_…');
    const more = p95 > goalMs ? `> ${goalMs}` : '';
    rows.push([shown, String(items ?? '–'), (bytes / 1024).toFixed(1), p50.toFixed(1), p95.toFixed(1), more]);
  }
  await pool.close();
  printTable(`${engine}, ${runs} runs`, ['items', 'KB', 'p50 ms', 'p95 ms', 'goal ms'], rows);
}

function itemsOf(text: string): number | undefined {
  const list = Object.values(JSON.parse(text) as object).find(Array.isArray);
  return list?.length;
}
