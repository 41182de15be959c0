import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openReading, openWriting, syncFile, syncFolder, type Connection } from '../../../kernel/engine.ts';
import { ConfigError } from '../../../kernel/index.ts';
import { freshPath } from '../store-file.ts';

/** Copies the committed state of a store, at one moment, into a new file; no writer waits. Throws without the file. */
export function copyStore(path: string, target: string): void {
  const database = openReading(path);
  try {
    database.prepare('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
}

/** Replaces the file of a store by one without free pages. Throws ConfigError while another process has it open. */
export function compactStore(path: string): void {
  const fresh = freshPath(path);
  rmSync(fresh, { force: true });
  // As each writer it asks for the pages of a new file, which the copy is.
  const database = openWriting(path);
  try {
    removeLog(database, path);
    database.prepare('VACUUM INTO ?').run(fresh);
  } finally {
    database.close();
  }
  chmodSync(fresh, statSync(path).mode);
  syncFile(fresh);
  renameSync(fresh, path);
  syncFolder(dirname(path));
}

// Moves what is in the log into the file: a log that stays would be read into the new file, whose pages are others.
function removeLog(database: Pick<Connection, 'prepare'>, path: string): void {
  try {
    if (database.prepare('PRAGMA journal_mode = DELETE').get()?.['journal_mode'] === 'delete') return;
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error;
  }
  throw new ConfigError([
    `${path} is open in another process, such as orb backup, log fsck, doctor or store size; nothing was changed: wait ` +
      'until that has ended, then call again',
  ]);
}
