import { mappedRow } from './column.ts';
import type { Connection, Row, Statement, Value } from './contract.ts';

/** A condition of a list and its value; undefined: it is not asked for. */
export type Asked = readonly [condition: string, value: Value | undefined];

/** Prepares queries of a connection, whose rows are read as they are told. `V`: the values of the statement. */
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
    /** One statement for each combination of conditions, so that it finds its index: a list never walks a whole table. */
    filter<T>(select: string, order: string, read: (row: Row) => T) {
      const prepared = new Map<string, Statement>();
      return (asked: readonly Asked[], limit = -1): T[] => {
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

/** Takes a row as it is. The module's own operations alone write its tables, from values of this type. */
export function asIs<T>(row: Row): T {
  return row as unknown as T;
}
