import { join } from 'node:path';
import { ConfigError, openSqlite, openWriting, storeFile, type Connection, type Row } from '../../../kernel/engine.ts';
import { columnsOf, moduleTables } from '../tables/schema.ts';
import { ask, bind, type Session } from '../connection/session.ts';
import type { Filled, TellRows } from './fill.ts';
import { beginArriving } from './arriving.ts';
import { replaceRows, type Cell } from './rows.ts';
import type { SourceOptions } from './source.ts';

/** What filling a file needs; `identity`: the row of the installation in the database. */
export interface FillFileOptions extends Omit<SourceOptions, 'tell'> {
  readonly installation: string;
  readonly identity: Row;
  readonly tellRows: TellRows;
}

interface Column {
  readonly name: string;
  readonly kind: string;
}

const atOnce = 500;

/**
 * Copies all tables of the modules out of a database into a new file in a folder of the state dir, inside the
 * transaction that holds the database. Throws ConfigError when the database is not as this program leaves it.
 */
export async function fillFile(session: Session, options: FillFileOptions) {
  const { identity, installation, masterKey, modules, now, stateDir, tellRows } = options;
  const applied = await appliedIn(session);
  const held = new Set(applied.map(({ store }) => String(store)));
  const here = modules.filter(({ name }) => held.has(name));
  for (const sql of here.flatMap(({ moved = [] }) => moved)) await session.flush([bind(sql, [])]);
  const folder = beginArriving(stateDir);
  const made = openSqlite({
    ...{ stateDir: folder, masterKey, modules: here, now, tell: () => undefined, newInstallation: () => installation },
  });
  const tables = tablesOf(made.connection);
  made.close();
  const path = join(folder, storeFile);
  identify(path, identity, applied);
  let rows = 0;
  for (const [name, columns] of tables) rows += await copyTable({ session, path, tellRows }, name, columns);
  const filled: Filled = { tables: tables.size, rows, replaced: 0 };
  return { folder, filled };
}

function appliedIn(session: Session): Promise<readonly Row[]> {
  return ask(
    session,
    `SELECT store, number, sha256, applied_at FROM kernel_migrations WHERE store <> '' AND store <> 'kernel' ORDER BY store, number`,
  );
}

function tablesOf(connection: Connection): ReadonlyMap<string, readonly Column[]> {
  const columns = (table: string): readonly Column[] =>
    columnsOf(connection, table).map(({ name, type }) => ({ name: String(name), kind: String(type) }));
  return new Map(moduleTables(connection).map((table) => [table, columns(table)]));
}

// The file keeps its identity and the times of its migrations.
function identify(path: string, identity: Row, applied: readonly Row[]): void {
  const database = openWriting(path);
  try {
    const made = database
      .prepare(
        `SELECT store, number, sha256 FROM kernel_migrations WHERE store NOT IN ('', 'kernel') ORDER BY store, number`,
      )
      .all();
    const told = (rows: readonly Row[]): readonly string[] =>
      rows.map(({ number, sha256, store }) => `${String(store)} ${String(number)} ${String(sha256)}`).sort();
    if (told(made).join() !== told(applied).join())
      throw new ConfigError([
        'ORB_STORE_URL: the tables of the database are not those of this program and its configuration; start and stop a server of this program on it, with the configuration of the others, and call again',
      ]);
    database
      .prepare('UPDATE kernel_installation SET sealed_check = ?, created_at = ?')
      .run(identity['sealed_check'] as Uint8Array, String(identity['created_at']));
    const date = database.prepare('UPDATE kernel_migrations SET applied_at = ? WHERE store = ? AND number = ?');
    for (const { applied_at, number, store } of applied) date.run(String(applied_at), String(store), Number(number));
  } finally {
    database.close();
  }
}

async function copyTable(
  { session, path, tellRows }: { readonly session: Session; readonly path: string; readonly tellRows: TellRows },
  name: string,
  columns: readonly Column[],
): Promise<number> {
  const cursor = `moved_${name}`;
  // The driver rounds large integers, so they come as text.
  const listed = columns.map((column) =>
    column.kind === 'INTEGER' ? `CAST(${column.name} AS text) AS ${column.name}` : column.name,
  );
  await ask(session, `DECLARE ${cursor} CURSOR FOR SELECT ${listed.join(', ')} FROM ${name}`);
  const writer = replaceRows(
    path,
    name,
    columns.map((column) => column.name),
  );
  let copied = 0;
  try {
    for (let isLast = false; !isLast;) {
      const rows = await ask(session, `FETCH ${atOnce} FROM ${cursor}`);
      for (const row of rows) writer.add(columns.map((column) => cellOf(column, row)));
      copied += rows.length;
      isLast = rows.length < atOnce;
      if (rows.length > 0) tellRows(name, copied);
    }
    writer.end();
  } finally {
    writer.close();
  }
  await ask(session, `CLOSE ${cursor}`);
  return copied;
}

function cellOf({ kind, name }: Column, row: Row): Cell {
  const value = row[name] ?? null;
  if (value === null) return null;
  return kind === 'INTEGER' ? BigInt(value as string) : value;
}
