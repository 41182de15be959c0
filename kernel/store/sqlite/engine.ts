import { join } from 'node:path';
import { ConfigError } from '../../error.ts';
import type { NamedWriting } from '../committer.ts';
import type { EngineOptions } from '../engine.ts';
import type { Migrations } from '../sql/applied.ts';
import { isArriving } from './moved.ts';
import { Committer } from './committer.ts';
import { openWriting, storeFile, type Database } from './database.ts';
import { openIdentity, type Identity } from './head.ts';
import { migrate } from './migration.ts';
import { upgrade, type UpgradeOptions } from './upgrade.ts';

const logLimitBytes = 64 * 1024 * 1024;
// Reading the size of the log costs a system call, so not every batch does it.
const batchesPerLook = 64;

interface SqliteOptions extends Pick<EngineOptions, 'masterKey' | 'newInstallation'>, Omit<UpgradeOptions, 'room'> {
  readonly modules: readonly Migrations[];
}

/** Opens the database of a state dir for its writer. Throws ConfigError as `openIdentity` and `upgrade` do. */
export function openSqlite({ stateDir, masterKey, modules, now, newInstallation, tell }: SqliteOptions) {
  if (isArriving(stateDir))
    throw new ConfigError([
      'ORB_STATE_DIR: `orb store move --to-file` is filling this store and has not ended; run it again, or continue with ORB_STORE_URL',
    ]);
  const database = openWriting(join(stateDir, storeFile));
  try {
    const identity = openIdentity(database, {
      ...{ masterKey, now, newInstallation },
      migrate: (kernel) => migrate(database, kernel, now),
    });
    upgrade(database, modules, { stateDir, now, tell });
    return engineOf(database, identity);
  } catch (error) {
    database.close();
    throw error;
  }
}

function engineOf(database: Database, { installation, sealer, head }: Identity) {
  return {
    installation,
    sealer,
    connection: { prepare: (sql: string) => database.prepare(sql) },
    async serve(modules: readonly NamedWriting[]) {
      const committer = new Committer(database, head, modules);
      await committer.open();
      return servingOn(database, committer);
    },
    close: () => database.close(),
  };
}

function servingOn(database: Database, committer: Committer) {
  let batches = 0;
  return {
    operations: committer.operations,
    commit: committer.commit.bind(committer),
    tidy() {
      if (++batches % batchesPerLook === 0 && database.logBytes() > logLimitBytes) database.truncateLog();
    },
    finish: () => database.truncateLog(),
  };
}
