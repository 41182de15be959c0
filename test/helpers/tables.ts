import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../kernel/config/config.ts';
import { findMasterKey } from '../../kernel/store/master-key.ts';
import type { Migrations } from '../../kernel/store/sql/applied.ts';
import { storeFile } from '../../kernel/store/sqlite/database.ts';
import { openSqlite } from '../../kernel/store/sqlite/engine.ts';

// The bytes of empty stores, by the texts that made them: a changed text makes another one.
const files = new Map<string, Buffer>();

/**
 * Gives a state dir that is not there yet a store with all tables and no row of an installation, and its master key, as
 * a first start makes them; to apply all migrations takes a third of it.
 */
export function giveTables({ masterKey: value, stateDir }: Config, modules: readonly Migrations[]): void {
  if (existsSync(stateDir)) return;
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  // First: beside a store, none is made.
  findMasterKey({ stateDir, value, storeExists: false });
  writeFileSync(join(stateDir, storeFile), tablesOf(modules));
}

function tablesOf(modules: readonly Migrations[]): Buffer {
  const texts = JSON.stringify(modules.map(({ name, migrations }) => [name, migrations]));
  const found = files.get(texts) ?? makeTables(modules);
  files.set(texts, found);
  return found;
}

function makeTables(modules: readonly Migrations[]): Buffer {
  const stateDir = mkdtempSync(join(tmpdir(), 'orb-tables-'));
  try {
    const { connection, close } = openSqlite({
      ...{ stateDir, masterKey: new Uint8Array(32), modules, now: Date.now() },
      newInstallation: () => 'nobody',
      tell: () => undefined,
    });
    connection.prepare('DELETE FROM kernel_installation').run();
    connection.prepare('UPDATE kernel_head SET epoch = 0').run();
    close();
    return readFileSync(join(stateDir, storeFile));
  } finally {
    rmSync(stateDir, { recursive: true });
  }
}
