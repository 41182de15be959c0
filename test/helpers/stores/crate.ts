import { fileURLToPath } from 'node:url';
import { defineStore } from '../../../kernel/index.ts';

/** One row with a value of each kind. */
export interface Thing {
  readonly id: number;
  readonly text: string | null;
  readonly bytes?: Uint8Array;
  readonly size?: number;
}

/** A store module for tests of moves: columns of each kind, an index, and rows that one place alone goes on with. */
const crate = defineStore({
  name: 'crate',
  migrations: [
    `CREATE TABLE crate_thing (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB, size REAL NOT NULL DEFAULT 0.5) STRICT;
     CREATE TABLE crate_turn (
       name TEXT PRIMARY KEY, state TEXT NOT NULL, node TEXT, incarnation TEXT
     ) STRICT, WITHOUT ROWID;
     INSERT INTO crate_turn (name, state) VALUES ('one', 'active');`,
    'CREATE INDEX crate_thing_size ON crate_thing (size) WHERE text IS NOT NULL;',
  ],
  moved: [`UPDATE crate_turn SET state = 'ended' WHERE state = 'active'`],
  write({ connection }) {
    const insert = connection.prepare('INSERT INTO crate_thing (id, text, bytes, size) VALUES (?, ?, ?, ?)');
    return {
      operations: {
        insert: ({ id, text, bytes, size }: Thing) => insert.queue(id, text, bytes ?? null, size ?? 0),
      },
    };
  },
  read(connection) {
    const all = connection.prepare('SELECT id, text, bytes, size FROM crate_thing ORDER BY id');
    const turns = connection.prepare('SELECT name, state FROM crate_turn ORDER BY name');
    return { all: () => all.all(), turns: () => turns.all() };
  },
});

export default crate;

/** The module as the loader hands it over. */
export const crateModule = { module: crate, file: fileURLToPath(import.meta.url) };
