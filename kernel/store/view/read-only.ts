import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection, Statement, StoreAddress, StorePlace } from '../contract.ts';
import { loadEngine, type EngineView, type ViewOptions } from '../engine.ts';

/** A store opened for reading: the view of a command, or of another thread of the server. */
export type StoreView = EngineView;

/** A read that the store could not answer, because it is away or the disk fails: no verdict on its contents. */
export class ReadFailed extends Error {}

/** A read that met a file or a table that is damaged. */
export class StoreDamaged extends Error {}

/** Opens a store for reading; undefined: there is none. Not for the thread that serves: each statement waits. */
export async function viewStore(
  { stateDir, address, writer }: StorePlace,
  { serving = false }: Pick<ViewOptions, 'serving'> = {},
): Promise<StoreView | undefined> {
  return address === undefined ? viewFile(stateDir) : viewDatabase(address, { serving, writer });
}

// SQLite: the file is damaged, or no database. PostgreSQL: a table or an index is damaged.
const damage = /^(SQLITE_(CORRUPT|NOTADB)|XX00[12]$)/;

/** Does a read; throws ReadFailed when the store could not answer it, and StoreDamaged. */
function answered<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const damaged = damage.test(String((error as { code?: unknown }).code));
    throw damaged ? new StoreDamaged(message, { cause: error }) : new ReadFailed(message, { cause: error });
  }
}

function readingOf(connection: Connection): Connection['prepare'] {
  return (sql): Statement => {
    const statement = answered(() => connection.prepare(sql));
    return {
      ...statement,
      get: (...values) => answered(() => statement.get(...values)),
      all: (...values) => answered(() => statement.all(...values)),
    };
  };
}

async function viewFile(stateDir: string): Promise<StoreView | undefined> {
  const { openReading, storeFile } = await import('../sqlite/database.ts');
  const path = join(stateDir, storeFile);
  if (!existsSync(path)) return undefined;
  try {
    const database = answered(() => openReading(path));
    const prepare = readingOf(database);
    return {
      prepare,
      hold: () => answered(() => database.execute('BEGIN; SELECT count(*) FROM sqlite_schema;')),
      hasTable: (name) => prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined,
      close: () => database.close(),
    };
  } catch (error) {
    // The file was removed in between.
    if (error instanceof ReadFailed && !existsSync(path)) return undefined;
    throw error;
  }
}

async function viewDatabase(address: StoreAddress, options: ViewOptions): Promise<StoreView> {
  const view = await (await loadEngine(address)).view(address, options);
  return {
    prepare: readingOf(view),
    hold: () => answered(() => view.hold()),
    hasTable: (name) => answered(() => view.hasTable(name)),
    close: () => view.close(),
  };
}
