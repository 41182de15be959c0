import { statSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { ConfigError } from '../../error.ts';
import { changedElsewhere, type Connection, type Row, type Statement, type Value } from '../contract.ts';

/** Name of the database file in the state dir. */
export const storeFile = 'store.db';

/** One open database file. */
export interface Database extends Connection {
  /** Runs a script of statements. */
  execute(script: string): void;
  inTransaction(): boolean;
  /** Moves the log into the main file and empties it, unless a reader holds it. */
  truncateLog(): void;
  /** Size of the log in bytes. */
  logBytes(): number;
  close(): void;
}

/** Opens, or creates, a database for its only writer. Throws ConfigError where the file system cannot hold one. */
export function openWriting(path: string): Database {
  const driver = new Driver(path, { timeout: busyMs });
  // Takes effect in a file that is new.
  driver.pragma(`page_size = ${pageBytes}`);
  if (driver.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
    throw new ConfigError([`ORB_STATE_DIR: the file system of ${path} does not support write-ahead logging`]);
  driver.pragma('synchronous = FULL');
  // At 16 MiB: less often than by default, because most commits write the same pages again.
  driver.pragma(`wal_autocheckpoint = ${checkpointBytes / Number(driver.pragma('page_size', { simple: true }))}`);
  driver.pragma('foreign_keys = ON');
  driver.pragma('temp_store = MEMORY');
  return database(driver, path);
}

/** Opens an empty database in memory. */
export function openScratch(): Database {
  return database(new Driver(':memory:'), ':memory:');
}

/** Opens an existing database for reading. */
export function openReading(path: string): Database {
  const driver = new Driver(path, { timeout: busyMs, readonly: true, fileMustExist: true });
  return database(driver, path);
}

/** Says whether an error concerns the database or disk itself, so that it fails a whole batch. */
export function isStorageFault(error: unknown): boolean {
  return error instanceof Driver.SqliteError && storageFaults.test(error.code);
}

const storageFaults = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|NOMEM|BUSY|LOCKED|READONLY|CANTOPEN|PROTOCOL|INTERRUPT)/;
const busyMs = 5000;
// Half of SQLite's default: a lone run changes a few bytes on some twenty pages, and writes each of them whole.
const pageBytes = 2048;
const checkpointBytes = 16 * 1024 * 1024;

function database(driver: Driver.Database, path: string): Database {
  const log = `${path}-wal`;
  return {
    prepare: (sql) => statement(driver.prepare<Value[], Row>(withOnePlan(sql))),
    execute: (script) => void driver.exec(script),
    inTransaction: () => driver.inTransaction,
    truncateLog() {
      // Does not wait for a reader: the next batch tries again.
      driver.pragma('busy_timeout = 50');
      driver.pragma('wal_checkpoint(TRUNCATE)');
      driver.pragma(`busy_timeout = ${busyMs}`);
    },
    logBytes: () => statSync(log, { throwIfNoEntry: false })?.size ?? 0,
    close: () => void driver.close(),
  };
}

/**
 * Writes `+` before each place of a statement, which changes no value: SQLite takes a bare place for a hint on the
 * plan, and would prepare many a statement again at each use, as the driver clears the values.
 */
export function withOnePlan(sql: string): string {
  return sql.replace(quotedOrPlace, (found) => (found === '?' ? '+?' : found));
}

const quotedOrPlace = /'[^']*'|"[^"]*"|--[^\n]*|\?/g;

function statement(prepared: Driver.Statement<Value[], Row>): Statement {
  return {
    queue: (...values) => void prepared.run(...values),
    must(...values) {
      if (prepared.run(...values).changes === 0) throw changedElsewhere();
    },
    run: (...values) => prepared.run(...values).changes,
    get: (...values) => prepared.get(...values),
    all: (...values) => prepared.all(...values),
  };
}
