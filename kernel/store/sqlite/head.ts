import { timestamp } from '../../tools/clock.ts';
import { ConfigError } from '../../error.ts';
import type { Sealer } from '../contract.ts';
import type { Migrations } from '../sql/applied.ts';
import type { Database } from './database.ts';
import { checkMasterKey, sealedCheckOf } from '../master-key.ts';
import { createSealer } from '../sealer.ts';
import { movedTable, readMoved } from './moved.ts';

/** The kernel's own rows: the owner of the store, and the last batch. */
export interface Head {
  readonly epoch: number;
  readonly batch: number;
}

/** The identity of an open store. */
export interface Identity {
  readonly installation: string;
  readonly sealer: Sealer;
  readonly head: Head;
}

interface IdentityOptions {
  readonly masterKey: Uint8Array;
  readonly now: number;
  newInstallation(): string;
  migrate(migrations: Migrations): void;
}

const migrations = [
  `CREATE TABLE kernel_installation (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     installation TEXT NOT NULL,
     sealed_check BLOB NOT NULL,
     created_at TEXT NOT NULL
   ) STRICT;
   CREATE TABLE kernel_head (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     epoch INTEGER NOT NULL,
     batch INTEGER NOT NULL
   ) STRICT;
   INSERT INTO kernel_head VALUES (1, 0, 0);`,
  `CREATE TABLE kernel_guards (name TEXT PRIMARY KEY, guard INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  movedTable,
];

/** Opens the kernel's tables, and takes the ownership. Throws ConfigError for another key, or a moved store. */
export function openIdentity(database: Database, options: IdentityOptions): Identity {
  const { masterKey, migrate, now, newInstallation } = options;
  const known = findInstallation(database);
  const installation = known?.installation ?? newInstallation();
  const sealer = createSealer(masterKey, installation);
  if (known !== undefined) checkMasterKey(sealer, known.sealedCheck);
  migrate({ name: 'kernel', migrations });
  refuseMoved(database);
  if (known === undefined)
    database
      .prepare('INSERT INTO kernel_installation (one, installation, sealed_check, created_at) VALUES (1, ?, ?, ?)')
      .run(installation, sealedCheckOf(sealer, installation), timestamp(now));
  database.prepare('UPDATE kernel_head SET epoch = epoch + 1').run();
  return { installation, sealer, head: readHead(database) };
}

// A second store of the same installation would give indexes of the log a second time.
function refuseMoved(database: Database): void {
  const moved = readMoved(database);
  if (moved === undefined) return;
  throw new ConfigError([
    `ORB_STORE_URL: the store of this state dir was moved to ${moved.place} at ${moved.moved_at}; set ORB_STORE_URL to its address`,
  ]);
}

export function readHead(database: Database): Head {
  const row = database.prepare('SELECT epoch, batch FROM kernel_head').get();
  if (row === undefined) throw new Error('the head row of the store is missing');
  return { epoch: Number(row['epoch']), batch: Number(row['batch']) };
}

function findInstallation(database: Database): { installation: string; sealedCheck: Uint8Array } | undefined {
  const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
  if (tables.length === 0) return undefined;
  if (!tables.some(({ name }) => name === 'kernel_head'))
    throw new ConfigError(['store: the database in the state dir was not made by this program']);
  const row = database.prepare('SELECT installation, sealed_check FROM kernel_installation').get();
  if (row === undefined) return undefined;
  return { installation: String(row['installation']), sealedCheck: row['sealed_check'] as Uint8Array };
}
