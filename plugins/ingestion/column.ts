import type { Row, Value } from '../../kernel/index.ts';

/** Reads a column that is text. Throws TypeError when it is not. */
export function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw new TypeError('ingestion: a column that must be text is not');
  return value;
}

/** Reads a row that may not be there. */
export function mapped<T>(row: Row | undefined, map: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : map(row);
}
