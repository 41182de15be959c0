import type Driver from 'better-sqlite3';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  /** Place in the primary key, from 1; 0: not in it. */
  readonly pk: number;
}

// Text is compared byte by byte, as SQLite does.
const types: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  TEXT: 'text COLLATE "C"',
  BLOB: 'bytea',
  REAL: 'double precision',
};

/** Renders the tables and indexes of a migrated SQLite database as statements of PostgreSQL. */
export function postgresSchema(driver: Driver.Database): readonly string[] {
  const names = (type: string, column: string): readonly string[] =>
    driver
      .prepare<[string], string>(
        `SELECT ${column} FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%' AND sql IS NOT NULL`,
      )
      .pluck()
      .all(type);
  return [...names('table', 'name').map((name) => tableOf(driver, name)), ...names('index', 'sql')];
}

/** Lists the columns of a table's primary key. */
export function keyOf(driver: Driver.Database, table: string): readonly string[] {
  const columns = driver.pragma(`table_info(${table})`) as readonly Column[];
  return columns
    .filter(({ pk }) => pk > 0)
    .sort((one, other) => one.pk - other.pk)
    .map(({ name }) => name);
}

function tableOf(driver: Driver.Database, table: string): string {
  const columns = driver.pragma(`table_info(${table})`) as readonly Column[];
  const indexes = driver.pragma(`index_list(${table})`) as readonly {
    readonly name: string;
    readonly origin: string;
  }[];
  const unique = indexes
    .filter(({ origin }) => origin === 'u')
    .map(({ name }) => (driver.pragma(`index_info(${name})`) as readonly Column[]).map((column) => column.name));
  const lines = [
    ...columns.map((column) => columnText(table, column)),
    `PRIMARY KEY (${keyOf(driver, table).join(', ')})`,
    ...unique.map((names) => `UNIQUE (${names.join(', ')})`),
  ];
  return `CREATE TABLE ${table} (${lines.join(', ')})`;
}

function columnText(table: string, { name, type, notnull, dflt_value }: Column): string {
  const rendered = types[type];
  if (rendered === undefined) throw new Error(`${table}.${name} has the type ${type}, which has no rendering`);
  return `${name} ${rendered}${notnull === 1 ? ' NOT NULL' : ''}${dflt_value === null ? '' : ` DEFAULT ${dflt_value}`}`;
}
