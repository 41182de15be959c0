import type { Connection } from '../contract.ts';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeFile } from './database.ts';

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

/** Where a move puts the store that it brings into a state dir, until the place that it comes from is out of use. */
export function arrivingDir(stateDir: string): string {
  return join(stateDir, 'store.moving');
}

/** Id of the move that brought a whole store, which is not in use yet; undefined when there is none. */
export function arrivedBy(stateDir: string): string | undefined {
  // Once the store is in its place, what else is in the folder says nothing.
  const isThere = existsSync(join(arrivingDir(stateDir), storeFile)) && existsSync(markOf(stateDir));
  return isThere ? readFileSync(markOf(stateDir), 'utf8') : undefined;
}

/** Says whether a store has arrived and the state dir has none in use. */
export function isArriving(stateDir: string): boolean {
  return !existsSync(join(stateDir, storeFile)) && arrivedBy(stateDir) !== undefined;
}

/** The file that names the move which brought the whole store. */
export function markOf(stateDir: string): string {
  return join(arrivingDir(stateDir), 'move');
}
