import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './contract.ts';

/** A store opened for reading: a command's view of a state dir, whether a server runs or not. */
export interface StoreView extends Connection {
  /** Fixes the snapshot: later commits are not seen. */
  hold(): void;
  /** Says whether the store has a table; a store of an earlier version may lack it. */
  hasTable(name: string): boolean;
  close(): void;
}

/** Opens the store of a state dir for reading; undefined when there is none. The driver is loaded at the first use. */
export async function viewStore(stateDir: string): Promise<StoreView | undefined> {
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
