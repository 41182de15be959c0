import Driver from 'better-sqlite3';

/** A value of a row that is copied. */
export type Cell = bigint | number | string | Uint8Array | null;

const busyMs = 5000;

/** Reads the columns of all rows of a table, one row at a time, on a connection of its own; integers as bigint. */
export function* readRows(path: string, table: string, columns: readonly string[]): Generator<readonly Cell[]> {
  const driver = new Driver(path, { timeout: busyMs, readonly: true, fileMustExist: true });
  try {
    yield* driver
      .prepare<[], readonly Cell[]>(`SELECT ${columns.join(', ')} FROM ${table}`)
      .raw()
      .safeIntegers()
      .iterate();
  } finally {
    driver.close();
  }
}

/** Begins to replace the rows of a table of an existing database, in one transaction, on a connection of its own. */
export function replaceRows(path: string, table: string, columns: readonly string[]) {
  const driver = new Driver(path, { timeout: busyMs, fileMustExist: true });
  driver.pragma('foreign_keys = OFF');
  driver.exec(`BEGIN IMMEDIATE; DELETE FROM ${table}`);
  const places = columns.map(() => '?').join(', ');
  const insert = driver.prepare<Cell[]>(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
  return {
    add: (row: readonly Cell[]) => void insert.run(...row),
    /** Commits. */
    end: () => void driver.exec('COMMIT'),
    /** Closes the connection; uncommitted changes are lost. */
    close: () => void driver.close(),
  };
}
