import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeFile } from './database.ts';

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
