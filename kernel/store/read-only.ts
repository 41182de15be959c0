import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { given } from '../tools/given.ts';
import type { Connection, Statement, StoreAddress, StorePlace } from './contract.ts';
import type { ReadServerOptions } from './postgres/read-server.ts';

/** A store opened for reading: the view of a command, or of a thread beside the server. */
export interface StoreView extends Connection {
  /** Fixes the snapshot: later commits are not seen. */
  hold(): void;
  /** Says whether the store has a table; a store of an earlier version may lack it. */
  hasTable(name: string): boolean;
  close(): void;
}

/**
 * A read that the store could not answer: its database is away, its file is locked, the disk fails. It says nothing about
 * the contents of the store, so it is no verdict on them.
 */
export class ReadFailed extends Error {}

/** A read that met a file or a table that is damaged. */
export class StoreDamaged extends Error {}

/** How a store is opened for reading. */
export interface ViewOptions {
  /**
   * The reader belongs to a process that serves: then a database server that follows another one, or lacks what the writer
   * has committed, answers nothing.
   */
  readonly serving?: boolean;
}

/**
 * Opens a store for reading, whether a server runs or not; undefined when the state dir holds none. The driver is loaded
 * at the first use. The thread that reads a database waits for each answer: never the one that serves. A statement that
 * could not be answered throws ReadFailed; one that met damage throws StoreDamaged.
 */
export async function viewStore(
  { stateDir, address, writer }: StorePlace,
  { serving = false }: ViewOptions = {},
): Promise<StoreView | undefined> {
  return address === undefined ? viewFile(stateDir) : viewDatabase(address, { serving, ...given({ writer }) });
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
  const { openReading, storeFile } = await import('./sqlite/database.ts');
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

async function viewDatabase(address: StoreAddress, options: ReadServerOptions): Promise<StoreView> {
  const { openBridge } = await import('./postgres/bridge.ts');
  const bridge = openBridge(address, options);
  const prepare = readingOf(bridge);
  const hasTable = prepare(
    `SELECT 1 AS one FROM pg_catalog.pg_class
     WHERE relname = ? AND relkind = 'r' AND pg_catalog.pg_table_is_visible(oid)`,
  );
  return {
    prepare,
    hold: () => answered(() => bridge.hold()),
    hasTable: (name) => hasTable.get(name) !== undefined,
    close: () => bridge.close(),
  };
}
