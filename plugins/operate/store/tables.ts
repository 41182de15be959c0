import type { Row } from '../../../kernel/index.ts';
import type { StoreView } from '../../../kernel/maintenance.ts';

/** The room that one index takes. */
export interface IndexSize {
  readonly name: string;
  readonly bytes: number;
  readonly unused_bytes: number;
}

/** The room that one table takes, with its indexes. */
export interface TableSize {
  readonly name: string;
  readonly rows: number;
  /** Bytes of its pages and of those of its indexes. */
  readonly bytes: number;
  /** Bytes per row, its part of the indexes included; 0 without rows. */
  readonly row_bytes: number;
  /** Bytes of these pages that hold nothing. */
  readonly unused_bytes: number;
  readonly index_bytes: number;
  readonly indexes: readonly IndexSize[];
}

/** The room that a store takes. */
export interface StoreSize {
  /** Bytes of all pages, those that are still in the write-ahead log included. */
  readonly bytes: number;
  /** Bytes of free pages: new rows use them before the file grows. */
  readonly free_bytes: number;
  /** The largest first. */
  readonly tables: readonly TableSize[];
}

interface Measured extends IndexSize {
  readonly table: string;
  readonly rows: number;
}

/**
 * Measures a store by reading each of its pages once. `told` gets the bytes read so far, after each table and index.
 * Each of them is read at its own moment: a server that writes at the same time can go on emptying its log.
 */
export function measureStore(view: StoreView, told: (bytes: number) => void): StoreSize {
  // The cells of inner pages are rows too where a table is its own index, else only keys.
  const size = view.prepare(
    `SELECT sum(pgsize) AS bytes, sum(unused) AS unused, sum(ncell) AS cells,
       sum(ncell) FILTER (WHERE pagetype = 'leaf') AS leaves FROM dbstat WHERE name = ?`,
  );
  let read = 0;
  const measured = treesOf(view).map(({ name, table, own }): Measured => {
    const { bytes, unused, cells, leaves } = size.get(name) ?? {};
    read += Number(bytes);
    told(read);
    return { name, table, rows: Number(own ? cells : leaves), bytes: Number(bytes), unused_bytes: Number(unused) };
  });
  const page = pragma(view, 'page_size');
  return {
    bytes: pragma(view, 'page_count') * page,
    free_bytes: pragma(view, 'freelist_count') * page,
    tables: measured
      .filter(({ name, table }) => name === table)
      .map((table) => tableOf(table, measured))
      .sort((one, other) => other.bytes - one.bytes),
  };
}

function tableOf({ name, rows, bytes, unused_bytes }: Measured, all: readonly Measured[]): TableSize {
  const indexes = all.filter((one) => one.table === name && one.name !== name);
  const index_bytes = sum(indexes.map((index) => index.bytes));
  const together = bytes + index_bytes;
  return {
    name,
    rows,
    bytes: together,
    row_bytes: rows === 0 ? 0 : Math.round(together / rows),
    unused_bytes: unused_bytes + sum(indexes.map((index) => index.unused_bytes)),
    index_bytes,
    indexes: indexes.map((index) => ({ name: index.name, bytes: index.bytes, unused_bytes: index.unused_bytes })),
  };
}

/** Adds numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

// Everything that has pages; the schema itself is not in its own list. `own`: a table WITHOUT ROWID.
function treesOf(view: StoreView): readonly { readonly name: string; readonly table: string; readonly own: boolean }[] {
  const own = new Set(
    view
      .prepare('SELECT name FROM pragma_table_list WHERE wr = 1')
      .all()
      .map(({ name }) => String(name)),
  );
  const named = view.prepare('SELECT name, tbl_name FROM sqlite_schema WHERE rootpage > 0').all();
  const schema: Row = { name: 'sqlite_schema', tbl_name: 'sqlite_schema' };
  return [schema, ...named].map(({ name, tbl_name }) => ({
    name: String(name),
    table: String(tbl_name),
    own: own.has(String(name)),
  }));
}

function pragma(view: StoreView, name: 'page_size' | 'page_count' | 'freelist_count'): number {
  return Number(view.prepare(`PRAGMA ${name}`).get()?.[name]);
}
