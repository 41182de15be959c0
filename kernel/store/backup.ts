import { join } from 'node:path';
import { ConfigError } from '../error.ts';
import { copyDatabase, storeFile } from './database.ts';

/** Copies the committed state of a store into a folder, while it is written. Throws ConfigError without a store. */
export function backupStore(stateDir: string, folder: string): void {
  try {
    copyDatabase(join(stateDir, storeFile), join(folder, storeFile));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_CANTOPEN') throw error;
    throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds no store`]);
  }
}
