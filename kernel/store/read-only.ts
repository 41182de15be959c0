import { join } from 'node:path';
import type { Connection } from './contract.ts';

/** A store opened for looking at: a command's view of a state dir, while a server runs or not. */
export interface StoreView extends Connection {
  /** Stands still: what is committed from now on is not seen. */
  hold(): void;
  close(): void;
}

/** Opens the store of a state dir for reading; undefined when there is none. The driver is loaded when it is needed. */
export async function viewStore(stateDir: string): Promise<StoreView | undefined> {
  const { openReading, storeFile } = await import('./database.ts');
  try {
    const database = openReading(join(stateDir, storeFile));
    return {
      prepare: (sql) => database.prepare(sql),
      hold: () => database.execute('BEGIN; SELECT count(*) FROM sqlite_schema;'),
      close: () => database.close(),
    };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'SQLITE_CANTOPEN') return undefined;
    throw error;
  }
}
