import { mkdirSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arrivingDir, markOf, openWriting, storeFile, syncFile, syncFolder } from '../../../kernel/engine.ts';

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

/** Puts the store that arrived in the place of the one that had been moved away. Durable when it returns. */
export function settleArriving(stateDir: string): void {
  // A log that stays would be read into the new file.
  if (existsSync(join(stateDir, storeFile))) closeLog(stateDir);
  for (const suffix of ['-wal', '-shm']) rmSync(join(stateDir, storeFile + suffix), { force: true });
  renameSync(join(arrivingDir(stateDir), storeFile), join(stateDir, storeFile));
  syncFolder(stateDir);
  rmSync(arrivingDir(stateDir), { recursive: true, force: true });
}

function closeLog(folder: string): void {
  const database = openWriting(join(folder, storeFile));
  database.truncateLog();
  database.close();
}
