import { mappedRow } from './column.ts';
import type { Connection, Row, Statement, Value } from '../contract.ts';
import { pagesOf, type PagedTable } from './page.ts';

/** A condition of a list and its value; undefined: the condition is left out. */
export type Asked = readonly [condition: string, value: Value | undefined];

/** Prepares queries of a connection; the given functions read their rows. `V`: the values of the statement. */
export function queriesOf(connection: Connection) {
  return {
    find<T, V extends readonly Value[] = readonly [id: string]>(sql: string, read: (row: Row) => T) {
      const statement = connection.prepare(sql);
      return (...values: V): T | undefined => mappedRow(statement.get(...values), read);
    },
    list<T, V extends readonly Value[] = readonly [id: string]>(sql: string, read: (row: Row) => T) {
      const statement = connection.prepare(sql);
      return (...values: V): T[] => statement.all(...values).map(read);
    },
    /**
     * Reads the rows of many keys, each key once: the condition `<column> IN (…)` ends the statement, some keys at a time.
     * `select` may begin the condition, as in `… WHERE tenant = ? AND`; its values are given after the keys.
     */
    among<T, V extends readonly Value[] = readonly []>(select: string, column: string, read: (row: Row) => T) {
      const where = select.endsWith(' AND') ? select : `${select} WHERE`;
      const prepared = (size: number) => ({
        size,
        statement: connection.prepare(`${where} ${column} IN (${Array(size).fill('?').join(', ')})`),
      });
      const [one, few, many] = [prepared(1), prepared(10), prepared(50)];
      return (keys: readonly string[], ...values: V): T[] => {
        const left = [...new Set(keys)];
        const found: Row[] = [];
        while (left.length > 0) {
          const { size, statement } = left.length > few.size ? many : left.length > one.size ? few : one;
          const some = left.splice(0, size);
          // One statement for each size: the last key stands for those that are missing.
          const filled = [...some, ...Array<string>(size - some.length).fill(some.at(-1) ?? '')];
          found.push(...statement.all(...values, ...filled));
        }
        return found.map(read);
      };
    },
    /** Pages through a list, newest first, and visits no more than a bounded number of rows for each page. */
    pages: <T>(table: PagedTable<T>) => pagesOf(connection, table),
    /**
     * Uses one statement per combination of conditions, so that each uses its index: a list never scans a whole table.
     */
    filter<T>(select: string, order: string, read: (row: Row) => T) {
      const prepared = new Map<string, Statement>();
      return (asked: readonly Asked[], limit = Number.MAX_SAFE_INTEGER): T[] => {
        const given = asked.filter((one): one is readonly [string, Value] => one[1] !== undefined);
        const where = given.length === 0 ? '' : `WHERE ${given.map(([condition]) => condition).join(' AND ')}`;
        const sql = `${select} ${where} ORDER BY ${order} LIMIT ?`;
        const statement = prepared.get(sql) ?? connection.prepare(sql);
        prepared.set(sql, statement);
        return statement.all(...given.map(([, value]) => value), limit).map(read);
      };
    },
  };
}

/** Returns a row unchanged. Only the module's own operations write its tables, from values of this type. */
export function asIs<T>(row: Row): T {
  return row as unknown as T;
}
