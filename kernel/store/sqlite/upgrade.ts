import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../error.ts';
import { freeBytes } from '../../tools/files.ts';
import { storeFile, type Database } from './database.ts';
import type { UpgradeStep } from '../message.ts';
import type { Migrations } from '../sql/applied.ts';
import { migrate, pendingOf } from './migration.ts';

/** What an upgrade needs in addition to the database. */
export interface UpgradeOptions {
  readonly stateDir: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Called before each migration of a store that has data. */
  tell(step: UpgradeStep): void;
  /** Bytes of the store and free bytes of its disk; default: what the file system says. */
  readonly room?: (stateDir: string) => { readonly used: number; readonly free: number };
}

// A new index of a table takes a few percent of the file, and once more in the log until it is moved.
const neededShare = 0.2;
// Below it the question is idle: a run needs as much.
const smallBytes = 64 * 1024 * 1024;

/** Applies what is not applied yet, each store in a transaction of its own. Throws ConfigError, as on a full disk. */
export function upgrade(database: Database, modules: readonly Migrations[], options: UpgradeOptions): void {
  const { now, room = roomOf, stateDir, tell } = options;
  const pending = new Map(modules.map((module) => [module.name, pendingOf(database, module)]));
  let left = [...pending.values()].reduce((sum, numbers) => sum + numbers.length, 0);
  const isNew = modules.every(({ migrations, name }) => pending.get(name)?.length === migrations.length);
  if (left > 0 && !isNew) checkRoom(stateDir, room(stateDir));
  for (const module of modules)
    migrate(database, module, now, (migration) => {
      if (!isNew) tell({ store: module.name, migration, left: left-- });
    });
}

function roomOf(stateDir: string): { readonly used: number; readonly free: number } {
  return { used: statSync(join(stateDir, storeFile)).size, free: freeBytes(stateDir) };
}

function checkRoom(stateDir: string, { free, used }: { readonly used: number; readonly free: number }): void {
  const needed = used * neededShare;
  if (used < smallBytes || free >= needed) return;
  const mb = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MB`;
  throw new ConfigError([
    `the store in ${stateDir} needs an upgrade, and the upgrade needs ${mb(needed)} of free disk space; ${mb(free)} are free. Nothing was changed`,
  ]);
}
