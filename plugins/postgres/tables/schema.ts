import { openScratch, type Connection, type Migrations, type Row } from '../../../kernel/engine.ts';

// Text is compared byte by byte, as SQLite does.
const types: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  TEXT: 'text COLLATE "C"',
  BLOB: 'bytea',
  REAL: 'double precision',
};

/**
 * Renders what a new database of PostgreSQL gets in place of the migrations of a store module: its tables and indexes
 * as all its migrations leave them on SQLite, and the rows that they insert.
 */
export function baselineOf({ name, migrations }: Migrations): readonly string[] {
  const database = openScratch();
  try {
    for (const migration of migrations) database.execute(migration);
    const isOwn = (table: string): boolean => table.startsWith(`${name}_`);
    const rows = moduleTables(database).filter(isOwn);
    return [...schemaOf(database, isOwn), ...rows.flatMap((table) => rowTexts(database, table))];
  } finally {
    database.close();
  }
}

/**
 * Renders a migration that comes after the baseline: the types of its columns, and without what only tables of SQLite
 * have. All else of it is one text for both engines.
 */
export function laterMigration(text: string): string {
  return text.replace(/'(?:[^']|'')*'|\b(?:INTEGER|TEXT|BLOB|REAL)\b|,?\s*\b(?:STRICT|WITHOUT\s+ROWID)\b/g, (found) => {
    if (found.startsWith("'")) return found;
    return types[found] ?? '';
  });
}

/** Renders the tables of a database of SQLite that `has` names, and their indexes, as texts of PostgreSQL. */
export function schemaOf(database: Connection, has: (table: string) => boolean): readonly string[] {
  const objects = database
    .prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
    .filter(({ tbl_name }) => has(String(tbl_name)));
  const tables = objects.filter(({ type }) => type === 'table');
  const indexes = objects.filter(({ type }) => type === 'index').map(({ sql }) => String(sql));
  return [...tables.map(({ name, sql }) => tableText(database, String(name), String(sql))), ...indexes];
}

/** Lists the columns of a table's primary key. */
export function keyOf(database: Connection, table: string): readonly string[] {
  return columnsOf(database, table)
    .filter(({ pk }) => Number(pk) > 0)
    .sort((one, other) => Number(one['pk']) - Number(other['pk']))
    .map(({ name }) => String(name));
}

/** Lists the tables of modules by name. */
export function moduleTables(database: Connection): readonly string[] {
  return database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
    .filter(isOfModule);
}

/** Says whether a table is one of a module, and not the kernel's. */
export const isOfModule = (table: string): boolean => !table.startsWith('kernel_');

/** Lists the columns of a table in their order. */
export function columnsOf(database: Connection, table: string): readonly Row[] {
  return database
    .prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid')
    .all(table);
}

function tableText(database: Connection, table: string, sql: string): string {
  const unique = database
    .prepare("SELECT name FROM pragma_index_list(?) WHERE origin = 'u' ORDER BY name")
    .all(table)
    .map(({ name }) => database.prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno').all(String(name)));
  const lines = [
    ...columnsOf(database, table).map((column) => {
      const { name, type, notnull, dflt_value } = column;
      const rendered = types[String(type)];
      if (rendered === undefined) throw new Error(`${table}.${String(name)} has a type that PostgreSQL does not know`);
      const filled = dflt_value === null ? '' : ` DEFAULT ${String(dflt_value)}`;
      return `${String(name)} ${rendered}${notnull === 1 ? ' NOT NULL' : ''}${filled}`;
    }),
    `PRIMARY KEY (${keyOf(database, table).join(', ')})`,
    ...unique.map((columns) => `UNIQUE (${columns.map(({ name }) => String(name)).join(', ')})`),
    ...checksOf(sql),
  ];
  return `CREATE TABLE ${table} (${lines.join(', ')})`;
}

// The conditions of `CHECK (…)`, wherever the table has them. References to other tables are left out: not every engine
// that speaks the protocol has them.
function checksOf(sql: string): readonly string[] {
  return [...sql.matchAll(/\bCHECK\s*\(/g)].map(({ index }) => {
    let depth = 0;
    for (let at = sql.indexOf('(', index); at < sql.length; at++) {
      if (sql[at] === '(') depth++;
      if (sql[at] === ')' && --depth === 0) return sql.slice(index, at + 1);
    }
    throw new Error(`a check has no end: ${sql}`);
  });
}

function rowTexts(database: Connection, table: string): readonly string[] {
  const names = columnsOf(database, table).map(({ name }) => String(name));
  const rows = database.prepare(`SELECT ${names.join(', ')} FROM ${table}`).all();
  return rows.map((row) => {
    const values = names.map((name) => literal(row[name] ?? null, table));
    return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`;
  });
}

function literal(value: unknown, table: string): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`a migration inserts bytes into ${table}, which no baseline renders`);
}
