import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '../contract.ts';
import { openReading, storeFile } from './database.ts';

/** Where the store that a file held is now. */
export interface Moved {
  /** Id of the move; the place that it went to has the same one until it is in use. */
  readonly move: string;
  /** The address, without the password. */
  readonly place: string;
  /** RFC 3339 UTC. */
  readonly moved_at: string;
}

/** The table of the mark; its row is written when another place holds all that the file holds. */
export const movedTable = `CREATE TABLE kernel_moved (
     one INTEGER PRIMARY KEY CHECK (one = 1), move TEXT NOT NULL, place TEXT NOT NULL, moved_at TEXT NOT NULL
   ) STRICT;`;

/** Reads the mark of a store that has its table. */
export function readMoved(database: Connection): Moved | undefined {
  return database.prepare('SELECT move, place, moved_at FROM kernel_moved').get() as unknown as Moved | undefined;
}

/** Writes the mark, within the transaction that ends what the file may go on with. */
export function markMoved(database: Connection, { move, place, moved_at }: Moved): void {
  database
    .prepare('INSERT INTO kernel_moved (one, move, place, moved_at) VALUES (1, ?, ?, ?)')
    .run(move, place, moved_at);
}

/** Reads where the store of a state dir was moved to; undefined when it holds none, or one that is still in use. */
export function movedFrom(stateDir: string): Moved | undefined {
  const path = join(stateDir, storeFile);
  if (!existsSync(path)) return undefined;
  const database = openReading(path);
  try {
    const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'kernel_moved'`).get();
    return table === undefined ? undefined : readMoved(database);
  } finally {
    database.close();
  }
}
