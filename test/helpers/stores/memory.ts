import Driver from 'better-sqlite3';
import {
  whenKnown,
  type Awaitable,
  type Connection,
  type Operations,
  type StoreModule,
  type Value,
  type WriteContext,
  type WriterScope,
} from '../../../kernel/index.ts';
import { changedElsewhere } from '../../../kernel/store/contract.ts';
import { takingOf } from '../../../kernel/store/sql/claim.ts';

/** A store module on a database in memory; nothing of the writer thread is there. */
export interface MemoryStore<W extends Operations, R> {
  readonly driver: Driver.Database;
  /** The operations, each in a batch of its own. */
  readonly operations: { readonly [K in keyof W]: (args: Parameters<W[K]>[0]) => ReturnType<W[K]> };
  readonly reads: R;
}

/** Makes the connection that a store module gets, over a driver; `watch` may change the text of a statement. */
export function connectionOf(driver: Driver.Database, watch: (sql: string) => string = (sql) => sql): Connection {
  return {
    prepare(sql) {
      const statement = driver.prepare<Value[], Record<string, Value>>(watch(sql));
      return {
        queue: (...values) => void statement.run(...values),
        must(...values) {
          if (statement.run(...values).changes === 0) throw changedElsewhere();
        },
        run: (...values) => statement.run(...values).changes,
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
      };
    },
  };
}

/** What an operation gets that runs alone, outside a batch: what it defers is lost, and it claims nothing. */
export const alone: WriteContext = {
  defer: () => undefined,
  claim: () => undefined,
  guard: () => undefined,
  tell: () => undefined,
  time: () => 0,
};

/** Opens a store module in memory, with `now` as the time of every write. */
export function openInMemory<W extends Operations, R>(
  module: Pick<StoreModule<W, R>, 'claims' | 'migrations' | 'read' | 'write'>,
  now: () => number = () => 0,
): MemoryStore<W, R> {
  const driver = new Driver(':memory:');
  for (const migration of module.migrations) driver.exec(migration);
  const connection = connectionOf(driver);
  // The modules take no more than this of the writer.
  const node = { name: 'a', incarnation: '0123456789abcdef' };
  const scope = { connection, now, node, shared: false } as Partial<WriterScope> as WriterScope;
  const { operations, ...batches } = module.write(scope);
  const context: WriteContext = { ...alone, time: now, claim: takingOf(connection, module.claims ?? []) };
  const inBatch = (run: W[keyof W], args: never): unknown => {
    const items: object[] = [];
    const result = run(args, { ...context, defer: (item) => void items.push(item) });
    const end = (): Awaitable<void> => (items.length > 0 ? batches.beforeCommit?.(items) : undefined);
    return result instanceof Promise
      ? result.then((value: unknown) => whenKnown(end(), () => value))
      : whenKnown(end(), () => result);
  };
  const bare = Object.entries(operations).map(([name, run]) => [
    name,
    (args: never) => inBatch(run as W[keyof W], args),
  ]);
  // The same functions under the same names, with their second argument given.
  const bound = Object.fromEntries(bare) as MemoryStore<W, R>['operations'];
  return { driver, operations: bound, reads: module.read(connection) };
}
