import type { Row, Value } from './contract.ts';

/** Reads a column that is text. Throws TypeError when it is not. */
export function textColumn(value: Value | undefined): string {
  if (typeof value !== 'string') throw new TypeError('a column that must be text is not');
  return value;
}

/** Reads a row that may not be there. */
export function mappedRow<T>(row: Row | undefined, map: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : map(row);
}
