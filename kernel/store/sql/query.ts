import { mappedRow } from './column.ts';
import type { Connection, Row, Statement, Value } from '../contract.ts';
import { pagesOf, type PagedTable } from './page.ts';

/** A condition of a list and its value; undefined: the condition is left out. */
export type Asked = readonly [condition: string, value: Value | undefined];

const atOnce = 50;

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
    /** Reads the rows of many keys, each key once: the condition `<column> IN (…)` ends the statement, some keys at a time. */
    among<T>(select: string, column: string, read: (row: Row) => T) {
      const statement = connection.prepare(`${select} WHERE ${column} IN (${Array(atOnce).fill('?').join(', ')})`);
      return (keys: readonly string[]): T[] => {
        const all = [...new Set(keys)];
        const found: Row[] = [];
        for (let at = 0; at < all.length; at += atOnce) {
          const some = all.slice(at, at + atOnce);
          // One statement for each number of keys: the last one replaces those that are missing.
          const filled = [...some, ...Array<string>(atOnce - some.length).fill(some.at(-1) ?? '')];
          found.push(...statement.all(...filled));
        }
        return found.map(read);
      };
    },
    /** Reads the rows of many keys of several columns: `sql` finds one, and is repeated to use the index of all. */
    each: <T, K extends readonly Value[]>(sql: string, read: (row: Row) => T) => eachKey<T, K>(connection, sql, read),
    /** Pages through a list, newest first, and visits no more than a bounded number of rows for each page. */
    pages: <T>(table: PagedTable<T>) => pagesOf(connection, table),
    /** Uses one statement per combination of conditions, so that each uses its index and none scans a whole table. */
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

function eachKey<T, K extends readonly Value[]>(connection: Connection, sql: string, read: (row: Row) => T) {
  const prepared = (size: number) => ({
    size,
    statement: connection.prepare(Array(size).fill(sql).join(' UNION ALL ')),
  });
  const [one, few, many] = [prepared(1), prepared(10), prepared(atOnce)];
  return (keys: readonly K[]): T[] => {
    const left = [...keys];
    const found: Row[] = [];
    while (left.length > 0) {
      const { size, statement } = left.length > few.size ? many : left.length > one.size ? few : one;
      const some = left.splice(0, size);
      // No row has a key of NULL.
      const none = Array<null>((size - some.length) * (some[0]?.length ?? 0)).fill(null);
      found.push(...statement.all(...some.flat(), ...none));
    }
    return found.map(read);
  };
}

/** Returns a row unchanged. Only the module's own operations write its tables, from values of this type. */
export function asIs<T>(row: Row): T {
  return row as unknown as T;
}
