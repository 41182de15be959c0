import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection, StoreAddress, StorePlace } from './contract.ts';

/** A store opened for reading: the view of a command, or of a thread beside the server. */
export interface StoreView extends Connection {
  /** Fixes the snapshot: later commits are not seen. */
  hold(): void;
  /** Says whether the store has a table; a store of an earlier version may lack it. */
  hasTable(name: string): boolean;
  close(): void;
}

/**
 * Opens a store for reading, whether a server runs or not; undefined when the state dir holds none. The driver is loaded
 * at the first use. The thread that reads a database waits for each answer: never the one that serves.
 */
export async function viewStore({ stateDir, address }: StorePlace): Promise<StoreView | undefined> {
  return address === undefined ? viewFile(stateDir) : viewDatabase(address);
}

async function viewFile(stateDir: string): Promise<StoreView | undefined> {
  const { openReading, storeFile } = await import('./sqlite/database.ts');
  const path = join(stateDir, storeFile);
  if (!existsSync(path)) return undefined;
  try {
    const database = openReading(path);
    return {
      prepare: (sql) => database.prepare(sql),
      hold: () => database.execute('BEGIN; SELECT count(*) FROM sqlite_schema;'),
      hasTable: (name) => database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined,
      close: () => database.close(),
    };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'SQLITE_CANTOPEN') return undefined;
    throw error;
  }
}

async function viewDatabase(address: StoreAddress): Promise<StoreView> {
  const { openBridge } = await import('./postgres/bridge.ts');
  const bridge = openBridge(address);
  const hasTable = bridge.prepare(
    `SELECT 1 AS one FROM pg_catalog.pg_class
     WHERE relname = ? AND relkind = 'r' AND pg_catalog.pg_table_is_visible(oid)`,
  );
  return {
    prepare: (sql) => bridge.prepare(sql),
    hold: () => bridge.hold(),
    hasTable: (name) => hasTable.get(name) !== undefined,
    close: () => bridge.close(),
  };
}
