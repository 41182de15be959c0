import type { Answered } from '../../tools/schema.ts';
import type { Row, Value, WriteConnection, WriteContext } from '../contract.ts';

/** Reads a column that is text. Throws TypeError when it is not. */
export function textColumn(value: Value | undefined): string {
  if (typeof value !== 'string') throw new TypeError('a column that must be text is not');
  return value;
}

/** Reads a row that may not be there. */
export function mappedRow<T>(row: Row | undefined, map: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : map(row);
}

/** The type of rows that `rowReader` reads by a schema: all its columns are present, except those of `Nullable`. */
export type RowOf<S, Nullable extends string = never> = Required<Omit<Answered<S>, Nullable>> & {
  readonly [K in Nullable & keyof Answered<S>]?: NonNullable<Answered<S>[K]>;
};

/**
 * Makes the reader of a table's rows by the schema of their answer: 0 and 1 of a `boolean`, and the JSON of an `object`
 * or `array`, become values; NULL is an absent member; other columns are left out.
 */
export function rowReader<T>(schema: { readonly properties: object }): (row: Row) => T {
  const readers = Object.entries(schema.properties as Readonly<Record<string, { readonly type?: unknown }>>).map(
    ([name, { type }]) => [name, readerOf(type)] as const,
  );
  return (row) => {
    const found: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const value = row[name];
      if (value !== null && value !== undefined) found[name] = read(value);
    }
    // Only the module's own operations write its tables, from values of this type.
    return found as T;
  };
}

function readerOf(type: unknown): (value: Value) => unknown {
  if (type === 'boolean') return (value) => value === 1;
  if (type === 'object' || type === 'array') return (value) => JSON.parse(textColumn(value)) as unknown;
  return (value) => value;
}

/** Prepares the insert of rows by column, as `columnOf` turns them; it is queued. `conflict`: ON CONFLICT …. */
export function rowWriter<C extends string>(
  connection: WriteConnection,
  table: string,
  columns: readonly C[],
  conflict = '',
): (row: { readonly [K in C]?: unknown }) => void {
  const places = columns.map(() => '?').join(', ');
  const insert = connection.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places}) ${conflict}`);
  return (row) => insert.queue(...columns.map((name) => columnOf(row[name])));
}

/** Says in SQL that an inserted row takes the place of the one with the same key: all its other columns are set. */
export function replacing(key: readonly string[], columns: readonly string[]): string {
  const set = columns.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set.join(', ')}`;
}

/** Prepares the insert of rows as `rowWriter` does, each with the next `number` of the table, which is guarded. */
export function numberedWriter<C extends string>(
  connection: WriteConnection,
  table: string,
  columns: readonly C[],
): (row: { readonly [K in C]?: unknown }, write: WriteContext) => void {
  const places = columns.map(() => '?').join(', ');
  const insert = connection.prepare(
    `INSERT INTO ${table} (number, ${columns.join(', ')}) SELECT coalesce(max(number), 0) + 1, ${places} FROM ${table}`,
  );
  return (row, write) => {
    write.guard(table);
    insert.queue(...columns.map((name) => columnOf(row[name])));
  };
}

/** Turns a value into one that a column holds: absent is NULL, true is 1, an object is its JSON. */
export function columnOf(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Uint8Array ? value : JSON.stringify(value);
}
