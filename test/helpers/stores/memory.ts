import Driver from 'better-sqlite3';
import type { Connection, Operations, StoreModule, Value, WriterScope } from '../../../kernel/index.ts';

/** A store module on a database in memory; nothing of the writer thread is there. */
export interface MemoryStore<W extends Operations, R> {
  readonly driver: Driver.Database;
  readonly operations: W;
  readonly reads: R;
}

/** Makes the connection that a store module gets, over a driver; `watch` may change the text of a statement. */
export function connectionOf(driver: Driver.Database, watch: (sql: string) => string = (sql) => sql): Connection {
  return {
    prepare(sql) {
      const statement = driver.prepare<Value[], Record<string, Value>>(watch(sql));
      return {
        run: (...values) => statement.run(...values).changes,
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
      };
    },
  };
}

/** Opens a store module in memory, with `now` as the time of every write. */
export function openInMemory<W extends Operations, R>(
  module: Pick<StoreModule<W, R>, 'migrations' | 'read' | 'write'>,
  now: () => number = () => 0,
): MemoryStore<W, R> {
  const driver = new Driver(':memory:');
  for (const migration of module.migrations) driver.exec(migration);
  const connection = connectionOf(driver);
  // The modules take no more than this of the writer.
  const scope = { connection, now } as WriterScope;
  return { driver, operations: module.write(scope).operations, reads: module.read(connection) };
}
