import gt from 'semver/functions/gt.js';
import valid from 'semver/functions/valid.js';
import {
  checkMasterKey,
  ConfigError,
  createSealer,
  sealedCheckOf,
  timestamp,
  version as ownVersion,
  type Migrations,
  type Row,
  type Sealer,
} from '../../../kernel/engine.ts';
import { Refused } from '../connection/flush.ts';
import { migrateOne, statementsOf } from './migration.ts';
import { movingTable, settleMove } from './moving.ts';
import { laterMigration } from './schema.ts';
import { ask, bind, type Session } from '../connection/session.ts';

/** What opening the kernel's tables needs; `newInstallation` makes the id of a new store. */
export interface IdentityOptions {
  readonly masterKey: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Absolute path; absent: no state dir whose move could be settled. */
  readonly stateDir?: string;
  /** Version of the program, semver. Default: that of this one. */
  readonly version?: string;
  newInstallation(): string;
}

// The tables of the kernel that differ from those on SQLite; so these texts are their own.
const kernel: Migrations = {
  name: 'kernel',
  migrations: [
    `CREATE TABLE kernel_installation (
       one INTEGER PRIMARY KEY CHECK (one = 1), installation TEXT NOT NULL, sealed_check BLOB NOT NULL, created_at TEXT NOT NULL
     );
     CREATE TABLE kernel_nodes (
       node TEXT PRIMARY KEY, incarnation TEXT NOT NULL, place TEXT NOT NULL, epoch INTEGER NOT NULL,
       state TEXT NOT NULL CHECK (state IN ('live', 'left', 'dead')), lease_until INTEGER NOT NULL
     );
     CREATE TABLE kernel_batches (node TEXT NOT NULL, batch INTEGER NOT NULL, PRIMARY KEY (node, batch));
     CREATE TABLE kernel_guards (name TEXT PRIMARY KEY, guard INTEGER NOT NULL);`,
    `ALTER TABLE kernel_nodes ADD COLUMN applied INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE kernel_nodes ADD COLUMN serving INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE kernel_nodes ADD COLUMN version TEXT NOT NULL DEFAULT '';
     ALTER TABLE kernel_nodes ADD COLUMN joined_at INTEGER NOT NULL DEFAULT 0;
     CREATE TABLE kernel_feed (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL);
     INSERT INTO kernel_feed (one, seq) VALUES (1, 0);
     CREATE TABLE kernel_changes (
       seq INTEGER PRIMARY KEY, topic TEXT NOT NULL, ref TEXT NOT NULL, node TEXT NOT NULL, incarnation TEXT NOT NULL
     );
     CREATE TABLE kernel_roles (role TEXT PRIMARY KEY, node TEXT NOT NULL, incarnation TEXT NOT NULL);
     CREATE TABLE kernel_ended (
       incarnation TEXT PRIMARY KEY, node TEXT NOT NULL, adopter TEXT NOT NULL, clean INTEGER NOT NULL
     );`,
    movingTable,
    `ALTER TABLE kernel_nodes ADD COLUMN config TEXT NOT NULL DEFAULT '';
     ALTER TABLE kernel_nodes ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE kernel_installation ADD COLUMN min_program TEXT NOT NULL DEFAULT '';`,
  ],
};

// The oldest program that can serve next to this one. A change of the tables that an older program cannot use raises it,
// and so does what this one reads beside a row and an older one does not write: before 0.2.0 rows got no marks.
const oldestBeside = '0.2.0';

/**
 * Makes the kernel's tables, and the installation at the first start, inside the transaction of `whileOthersWait`: of
 * several that start at once, the first makes it. Throws ConfigError when the master key is not the one that this store
 * was made with, or the program is older than what newer ones have left here can be served with.
 */
export async function openIdentity(
  session: Session,
  { masterKey, now, newInstallation, stateDir, version = ownVersion }: IdentityOptions,
): Promise<{ readonly installation: string; readonly sealer: Sealer }> {
  await migrateOne(session, kernel, { now, first: ({ migrations }) => migrations.flatMap(rendered) });
  const [row] = await ask(session, 'SELECT installation, sealed_check, min_program FROM kernel_installation');
  const installation = row === undefined ? newInstallation() : String(row['installation']);
  if (stateDir !== undefined) await settleMove(session, stateDir);
  const sealer = createSealer(masterKey, installation);
  if (row !== undefined) {
    checkMasterKey(sealer, row['sealed_check'] as Uint8Array);
    refuseOlder(String(row['min_program']), version);
  } else
    await ask(
      session,
      `INSERT INTO kernel_installation (one, installation, sealed_check, created_at, min_program)
         VALUES (1, ?, ?, ?, ?)`,
      [installation, sealedCheckOf(sealer, installation), timestamp(now), oldestBeside],
    );
  return { installation, sealer };
}

function refuseOlder(least: string, version: string): void {
  if (isNewer(least, version))
    throw new ConfigError([
      `ORB_STORE_URL: the database needs the program ${least} or newer, and this one is ${version}; install a newer one`,
    ]);
}

/** Says whether the program of a process that lives cannot serve next to this one. */
export const isTooOld = ({ version }: Row): boolean => isNewer(oldestBeside, String(version));

/**
 * Names the oldest program that can serve from now on, inside the transaction in which a process joins. Throws
 * ConfigError when one that needs a newer program joined since the start of this process.
 */
export async function raiseOldest(session: Session, version: string): Promise<void> {
  const [row] = await ask(session, 'SELECT min_program FROM kernel_installation');
  const least = String(row?.['min_program']);
  refuseOlder(least, version);
  if (isNewer(oldestBeside, least))
    await ask(session, 'UPDATE kernel_installation SET min_program = ? WHERE one = 1', [oldestBeside]);
}

const rendered = (text: string): readonly string[] => statementsOf(laterMigration(text));

const settings =
  bind(`SELECT current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commits,
     CAST(current_setting('server_version_num') AS integer) AS version, current_setting('server_version') AS said,
     current_setting('statement_timeout') AS patience`);
const oldestServer = 140_000;

/**
 * Throws ConfigError unless the server is PostgreSQL 14 or newer, keeps the settings of this connection and text in UTF-8,
 * and its commits outlive a crash. `patience`: the `statement_timeout` that the session asked for.
 */
export async function checkSettings(session: Session, shown: string, patience = '1h'): Promise<void> {
  const [answer] = await session.flush([settings]);
  const { encoding, commits, said, version, patience: kept } = answer?.rows[0] ?? {};
  if (Number(version) < oldestServer)
    throw new ConfigError([`ORB_STORE_URL: ${shown} is PostgreSQL ${String(said)}; use PostgreSQL 14 or newer`]);
  if (kept !== patience)
    throw new ConfigError([
      `ORB_STORE_URL: ${shown} does not keep the settings of a connection, like a transaction pooler; connect directly to PostgreSQL, or through a session pooler`,
    ]);
  if (encoding !== 'UTF8')
    throw new ConfigError([
      `ORB_STORE_URL: ${shown} has the encoding ${String(encoding)}; create it with createdb -E UTF8`,
    ]);
  if (commits === 'off')
    throw new ConfigError([
      `ORB_STORE_URL: ${shown} has synchronous_commit off, so a crash of it loses acknowledged writes; set it to on`,
    ]);
}

/**
 * Throws ConfigError unless the server runs all statements of one message in one transaction. That is asked, not
 * believed: an engine that speaks the protocol may commit each statement by itself.
 */
export async function checkTogether(session: Session, shown: string): Promise<void> {
  const probe = 'kernel probe';
  try {
    await session.flush([
      bind('INSERT INTO kernel_guards (name, guard) VALUES (?, 1) ON CONFLICT (name) DO NOTHING', [probe]),
      bind('SELECT 1 / (SELECT count(*) FROM kernel_guards WHERE name IS NULL) AS one'),
    ]);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  const left = await ask(session, 'SELECT guard FROM kernel_guards WHERE name = ?', [probe]);
  if (left.length > 0)
    throw new ConfigError([`ORB_STORE_URL: ${shown} does not keep the statements of one message in one transaction`]);
}

/** Says whether one version is newer than another; a text that is no version is older than each. */
export function isNewer(one: string, other: string): boolean {
  if (valid(one) === null) return false;
  return valid(other) === null || gt(one, other);
}
