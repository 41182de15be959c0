import { timestamp } from '../../tools/clock.ts';
import { ConfigError } from '../../error.ts';
import { checkKnown, sha256, type Migrations } from '../sql/applied.ts';
import type { Database } from './database.ts';

const record = `
  CREATE TABLE IF NOT EXISTS kernel_migrations (
    store TEXT NOT NULL,
    number INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    applied_at TEXT NOT NULL,
    PRIMARY KEY (store, number)
  ) STRICT, WITHOUT ROWID`;

/**
 * Applies the texts of one store that are not applied yet, in one transaction, and calls `before` with the number of
 * each. Throws ConfigError, and changes nothing, when an applied text is unknown or changed, or a text fails or touches
 * a table whose name does not begin with `<name>_`.
 */
export function migrate(
  database: Database,
  { name, migrations }: Migrations,
  now: number,
  before: (number: number) => void = () => undefined,
): void {
  database.execute('BEGIN IMMEDIATE');
  try {
    database.execute(record);
    const applied = database.prepare('SELECT number, sha256 FROM kernel_migrations WHERE store = ? ORDER BY number');
    const known = applied.all(name);
    checkKnown(name, migrations, known);
    const pending = migrations.slice(known.length);
    if (pending.length > 0) {
      const standing = objects(database);
      pending.forEach((text, index) => {
        before(known.length + index + 1);
        apply(database, name, known.length + index + 1, text);
      });
      checkNames(name, standing, objects(database));
    }
    const insert = database.prepare(
      'INSERT INTO kernel_migrations (store, number, sha256, applied_at) VALUES (?, ?, ?, ?)',
    );
    pending.forEach((text, index) => insert.run(name, known.length + index + 1, sha256(text), timestamp(now)));
    database.execute('COMMIT');
  } catch (error) {
    if (database.inTransaction()) database.execute('ROLLBACK');
    throw error;
  }
}

/** Lists the numbers of the texts of one store that are not applied yet. */
export function pendingOf(database: Database, { name, migrations }: Migrations): readonly number[] {
  database.execute(record);
  const row = database.prepare('SELECT count(*) AS n FROM kernel_migrations WHERE store = ?').get(name);
  return migrations.map((_, index) => index + 1).slice(Number(row?.['n']));
}

function apply(database: Database, name: string, number: number, text: string): void {
  try {
    database.execute(text);
  } catch (error) {
    throw new ConfigError([`store ${name}: migration ${number} failed: ${(error as Error).message}`]);
  }
  if (!database.inTransaction())
    throw new ConfigError([`store ${name}: migration ${number} must not begin or end a transaction`]);
}

type Objects = ReadonlyMap<string, { readonly table: string; readonly sql: string }>;

function objects(database: Database): Objects {
  const rows = database.prepare('SELECT name, tbl_name, sql FROM sqlite_master').all();
  return new Map(rows.map(({ name, tbl_name, sql }) => [String(name), { table: String(tbl_name), sql: String(sql) }]));
}

function checkNames(name: string, before: Objects, after: Objects): void {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (object) => before.get(object)?.sql !== after.get(object)?.sql,
  );
  const foreign = changed.filter((object) => !isOwn(name, object, (after.get(object) ?? before.get(object))?.table));
  if (foreign.length > 0)
    throw new ConfigError(
      foreign.map((object) => `store ${name}: its migrations may touch only ${name}_…, not ${object}`),
    );
}

// SQLite's own objects (automatic indexes, the AUTOINCREMENT counter) follow the table they serve.
function isOwn(name: string, object: string, table = ''): boolean {
  const prefix = `${name}_`;
  if (object === 'sqlite_sequence') return true;
  return table.startsWith(prefix) && (object.startsWith(prefix) || object.startsWith('sqlite_autoindex_'));
}
