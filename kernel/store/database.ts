import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Driver from 'better-sqlite3';
import { ConfigError } from '../error.ts';
import type { Connection, Row, Statement, Value } from './contract.ts';

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
  if (driver.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
    throw new ConfigError([`ORB_STATE_DIR: the file system of ${path} does not support write-ahead logging`]);
  driver.pragma('synchronous = FULL');
  // The log is moved into the main file at 16 MiB, whatever the size of a page. That is less often than the default of
  // 4 MiB, because most commits write the same pages again.
  driver.pragma(`wal_autocheckpoint = ${checkpointBytes / Number(driver.pragma('page_size', { simple: true }))}`);
  driver.pragma('foreign_keys = ON');
  driver.pragma('temp_store = MEMORY');
  return database(driver, path);
}

/** Opens an existing database for reading. */
export function openReading(path: string): Database {
  const driver = new Driver(path, { timeout: busyMs, readonly: true, fileMustExist: true });
  return database(driver, path);
}

/**
 * Copies the committed state of an existing database, at one moment, into a new file. Later commits are not in it, and
 * nobody waits.
 */
export function copyDatabase(path: string, target: string): void {
  const driver = new Driver(path, { timeout: busyMs, readonly: true, fileMustExist: true });
  try {
    driver.prepare('VACUUM INTO ?').run(target);
  } finally {
    driver.close();
  }
}

/**
 * Writes an existing database anew without its free pages, and gives them back to the file system. One transaction: a
 * process that dies in between leaves what was there.
 */
export function compactDatabase(path: string): void {
  // The copy is made beside the database: the folder for temporary files can be small, or in memory.
  process.env['SQLITE_TMPDIR'] = dirname(path);
  const driver = new Driver(path, { timeout: busyMs, fileMustExist: true });
  try {
    driver.exec('VACUUM');
  } finally {
    driver.close();
  }
}

/** Says whether an error concerns the database or disk itself, so that it fails a whole batch. */
export function isStorageFault(error: unknown): boolean {
  return error instanceof Driver.SqliteError && storageFaults.test(error.code);
}

const storageFaults = /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|NOMEM|BUSY|LOCKED|READONLY|CANTOPEN|PROTOCOL|INTERRUPT)/;
const busyMs = 5000;
const checkpointBytes = 16 * 1024 * 1024;

function database(driver: Driver.Database, path: string): Database {
  const log = `${path}-wal`;
  return {
    prepare: (sql) => statement(driver.prepare<Value[], Row>(sql)),
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

function statement(prepared: Driver.Statement<Value[], Row>): Statement {
  return {
    run: (...values) => prepared.run(...values).changes,
    get: (...values) => prepared.get(...values),
    all: (...values) => prepared.all(...values),
  };
}
