import { defineStore, type Claim, type WriteContext } from '../../../kernel/index.ts';

const keys: Claim = {
  ...{ table: 'shelf_keys', columns: ['key', 'taker'], key: ['key'], holder: 'taker' },
  dependents: [{ table: 'shelf_row', columns: ['id'] }],
};

/** A store module for tests that runs on every engine: rows, keys that one of many gets, and a count in memory. */
export const shelf = defineStore({
  name: 'shelf',
  migrations: [
    `CREATE TABLE shelf_row (id INTEGER PRIMARY KEY) STRICT;
     CREATE TABLE shelf_keys (key TEXT PRIMARY KEY, taker INTEGER NOT NULL) STRICT;`,
  ],
  claims: [keys],
  write({ connection }) {
    const insert = connection.prepare('INSERT INTO shelf_row (id) VALUES (?)');
    const counted = connection.prepare('SELECT count(*) AS n FROM shelf_row');
    let [count, pending] = [0, 0];
    const reload = async (): Promise<void> => {
      pending = 0;
      count = Number((await counted.get())?.['n']);
    };
    return {
      open: reload,
      reload,
      operations: {
        /** Answers which row it is, as the count in memory says before the commit. */
        insert(id: number, write: WriteContext): { place: number } {
          insert.queue(id);
          const row = { place: 0 };
          write.defer(row);
          return row;
        },
        /** Inserts a row, and tells the other nodes of it. */
        tell({ id, topic }: { id: number; topic: string }, write: WriteContext): null {
          insert.queue(id);
          write.tell(topic, String(id));
          return null;
        },
        async take({ key, taker }: { key: string; taker: number }, write: WriteContext): Promise<number> {
          const other = await write.claim(keys, { row: { key, taker }, dependents: [{ id: taker }] });
          return Number(other?.['taker'] ?? taker);
        },
      },
      beforeCommit(items) {
        pending = items.length;
        for (const [index, row] of (items as { place: number }[]).entries()) row.place = count + index + 1;
      },
      committed() {
        count += pending;
        pending = 0;
      },
    };
  },
  read(connection) {
    const ids = connection.prepare('SELECT id FROM shelf_row ORDER BY id');
    return { ids: () => ids.all().map(({ id }) => Number(id)) };
  },
});

/** The stores of a program whose writer is under test. */
export const builtinStores = [shelf];
