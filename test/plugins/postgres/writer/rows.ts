import { PlatformError } from '../../../../kernel/error.ts';
import { whenKnown } from '../../../../kernel/store/awaitable.ts';
import type { Awaitable, Claim, WriteConnection, WriteContext, Writing } from '../../../../kernel/store/contract.ts';

const keys: Claim = {
  table: 'rows_keys',
  columns: ['key', 'run'],
  key: ['key'],
  holder: 'run',
  dependents: [{ table: 'rows_row', columns: ['id'] }],
};

/** The operations of the module, in the order of their codes. */
export const names = [
  'insert',
  'refuse',
  'next',
  'append',
  'appendNext',
  'claim',
  'explode',
  'impatient',
  'forget',
  'forever',
  'sleep',
  'insertSlowly',
  'nextSlowly',
] as const;
/** One of them. */
export type Name = (typeof names)[number];

/**
 * A store module with each kind of operation; `log` hears what the committer asks of it. `readsAnew`: it reads rows when
 * it is to forget what it holds in memory.
 */
export function rowsModule(
  connection: WriteConnection,
  log: string[],
  { readsAnew = false } = {},
): Writing<Record<Name, never>> {
  const insert = connection.prepare('INSERT INTO rows_row (id) VALUES (?)');
  const highest = connection.prepare('SELECT max(id) AS id FROM rows_row');
  const sleep = connection.prepare('SELECT CAST(pg_sleep(CAST(? AS double precision)) AS text) AS slept');
  const insertSlowly = connection.prepare(
    'INSERT INTO rows_row (id) SELECT CAST(? AS bigint) FROM pg_sleep(CAST(? AS double precision))',
  );
  const operations = {
    insert: (id: number) => void insert.queue(id),
    refuse(id: number): never {
      insert.queue(id);
      throw new PlatformError('invalid_inputs', `no ${id}`);
    },
    /** Reads before it writes, so that it needs a transaction that waits. */
    async next(): Promise<number> {
      const id = Number((await highest.get())?.['id'] ?? 0) + 1;
      insert.queue(id);
      return id;
    },
    append(id: number, write: WriteContext): object {
      const item = { id };
      write.defer(item);
      return item;
    },
    /** The work before the commit gives it its place. */
    appendNext(_: undefined, write: WriteContext): object {
      const item = {};
      write.defer(item);
      return item;
    },
    claim({ key, run }: { key: string; run: number }, write: WriteContext): Awaitable<unknown> {
      const taken = write.claim(keys, { row: { key, run }, dependents: [{ id: run }] });
      return whenKnown(taken, (other) => other?.['run'] ?? 'mine');
    },
    explode: () => void insert.queue('not a number'),
    impatient(): never {
      void Promise.resolve(highest.get()).catch(() => undefined);
      throw new Error('no answer at once');
    },
    /** Does not wait for its statement. */
    forget: (id: number) => void insert.run(id),
    /** Waits for more than its statements, and goes on when nobody expects it. */
    async forever({ until, ...ids }: { before: number; after: number; until: () => Promise<void> }): Promise<void> {
      insert.queue(ids.before);
      await highest.get();
      await until();
      try {
        insert.queue(ids.after);
      } finally {
        log.push('went on');
      }
    },
    /** Waits for a statement that takes so many seconds. */
    async sleep(seconds: number): Promise<void> {
      await sleep.get(seconds);
    },
    /** Queues a statement that takes so many seconds. */
    insertSlowly: ({ id, seconds }: { id: number; seconds: number }) => void insertSlowly.queue(id, seconds),
    /** Waits for an answer, then queues a statement that takes so many seconds. */
    async nextSlowly(seconds: number): Promise<void> {
      insertSlowly.queue(Number((await highest.get())?.['id'] ?? 0) + 1, seconds);
    },
  };
  return {
    operations: operations as never,
    async beforeCommit(items) {
      log.push(`before ${items.length}`);
      for (const item of items as { id?: number; done?: true }[]) {
        item.id ??= Number((await highest.get())?.['id'] ?? 0) + 1;
        insert.queue(item.id);
        item.done = true;
      }
    },
    committed: () => void log.push('committed'),
    async reload(): Promise<void> {
      if (readsAnew) await highest.get();
      log.push('reload');
    },
  };
}
