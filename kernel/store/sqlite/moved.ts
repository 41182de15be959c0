import type { Connection } from '../contract.ts';

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
