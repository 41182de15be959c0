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
    let last: Listed = { pages: 0, items: undefined, bytes: 0 };
    for (let time = 0; time < warmUp + reads; time += 1) {
      const begun = performance.now();
      last = await readOn(path, async (one) => (await get(one)).text);
      if (time >= warmUp) took.push(performance.now() - begun);
    }
    took.sort((a, b) => a - b);
    const [p50 = NaN, p95 = NaN] = [0.5, 0.95].map((share) => took[Math.floor(took.length * share)]);
    const shown = path.replace(/(cursor|from|to)=[^&]+/g, '$1=…').replace(/_[0-9A-Z]{26}/g, '_…');
    const more = p95 > goalMs ? `> ${goalMs}` : '';
    const { pages, items, bytes } = last;
    const sizes = [String(pages), String(items ?? '–'), (bytes / 1024).toFixed(1)];
    rows.push([shown, ...sizes, p50.toFixed(1), p95.toFixed(1), more]);
  }
  await pool.close();
  printTable(`${engine}, ${runs} runs`, ['pages', 'items', 'KB', 'p50 ms', 'p95 ms', 'goal ms'], rows);
}

/** What a list answered. */
interface Listed {
  readonly pages: number;
  /** Undefined: it is no list. */
  readonly items: number | undefined;
  readonly bytes: number;
}

const mostPages = 100;

// As the console does: a page may be empty although the list goes on, since each visits so many rows only.
async function readOn(path: string, read: (path: string) => Promise<string>): Promise<Listed> {
  let bytes = 0;
  for (let [pages, next] = [1, path]; ; pages += 1) {
    const text = await read(next);
    bytes += text.length;
    const answer = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const items = Object.values(answer).find(Array.isArray)?.length;
    const cursor = answer['next_cursor'];
    if (items !== 0 || typeof cursor !== 'string' || pages === mostPages) return { pages, items, bytes };
    next = `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
  }
}
