import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncFile, syncFolder } from '../../tools/files/replace-file.ts';
import { openWriting, storeFile } from './database.ts';

/** Where a move puts the store that it brings into a state dir, until the place that it comes from is out of use. */
export function arrivingDir(stateDir: string): string {
  return join(stateDir, 'store.moving');
}

/** Makes the folder of a store that arrives; what an earlier move left in it is gone. */
export function beginArriving(stateDir: string): string {
  const folder = arrivingDir(stateDir);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Writes down which move brought the whole store. Durable when it returns. */
export function sealArriving(stateDir: string, move: string): void {
  const folder = arrivingDir(stateDir);
  closeLog(folder);
  syncFile(join(folder, storeFile));
  const path = markOf(stateDir);
  writeFileSync(path, move);
  syncFile(path);
  syncFolder(folder);
  syncFolder(stateDir);
}

/** Id of the move that brought a whole store, which is not in use yet; undefined when there is none. */
export function arrivedBy(stateDir: string): string | undefined {
  // Once the store is in its place, what else is in the folder says nothing.
  const isThere = existsSync(join(arrivingDir(stateDir), storeFile)) && existsSync(markOf(stateDir));
  return isThere ? readFileSync(markOf(stateDir), 'utf8') : undefined;
}

/** Puts the store that arrived in the place of the one that had been moved away. Durable when it returns. */
export function settleArriving(stateDir: string): void {
  // A log that stays would be read into the new file.
  if (existsSync(join(stateDir, storeFile))) closeLog(stateDir);
  for (const suffix of ['-wal', '-shm']) rmSync(join(stateDir, storeFile + suffix), { force: true });
  renameSync(join(arrivingDir(stateDir), storeFile), join(stateDir, storeFile));
  syncFolder(stateDir);
  rmSync(arrivingDir(stateDir), { recursive: true, force: true });
}

/** Says whether a store has arrived beside which there is none in use. */
export function isArriving(stateDir: string): boolean {
  return !existsSync(join(stateDir, storeFile)) && arrivedBy(stateDir) !== undefined;
}

function closeLog(folder: string): void {
  const database = openWriting(join(folder, storeFile));
  database.truncateLog();
  database.close();
}

function markOf(stateDir: string): string {
  return join(arrivingDir(stateDir), 'move');
}
