import { defineStore, PlatformError, type WriteContext } from '../../../kernel/index.ts';
import { immediate } from '../../../kernel/surface.ts';

interface Note {
  readonly id: string;
  readonly text: string;
}

interface Deferred {
  readonly id: string;
  position?: number;
}

/** How `beforeCommit` shall fail: the next times, or until told otherwise. */
interface Plan {
  readonly times: number;
}

/** A store module for tests: rows, failures on demand, and a log of what was deferred. */
export default defineStore({
  name: 'notes',
  migrations: [
    `CREATE TABLE notes_note (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
     CREATE TABLE notes_deferred (position INTEGER PRIMARY KEY, id TEXT NOT NULL, batch_items INTEGER NOT NULL) STRICT;`,
  ],
  write(scope) {
    const { installation, node, now, ulid } = scope;
    const { connection } = immediate(scope);
    const insert = connection.prepare('INSERT INTO notes_note VALUES (?, ?)');
    const insertDeferred = connection.prepare('INSERT INTO notes_deferred VALUES (?, ?, ?)');
    const last = connection.prepare('SELECT coalesce(max(position), 0) AS position FROM notes_deferred');
    const readLast = (): number => Number(last.get()?.['position']);
    let position = readLast();
    let pending = 0;
    let failures = 0;
    let reloads = 0;
    let commits = 0;
    return {
      operations: {
        insert: ({ id, text }: Note) => insert.run(id, text),
        /** Inserts, and defers an item that gets its position before the commit. */
        append(note: Note, write: WriteContext): Deferred {
          insert.run(note.id, note.text);
          const item: Deferred = { id: note.id };
          write.defer(item);
          return item;
        },
        appendThenFail(note: Note, write: WriteContext): never {
          insert.run(note.id, note.text);
          write.defer({ id: note.id });
          throw new PlatformError('invalid_inputs', `no ${note.id}`, {
            retry_after: 7,
            errors: [{ pointer: '#/id', detail: 'is refused' }],
          });
        },
        defect(): never {
          throw new TypeError('a secret of the machine room');
        },
        failNextCommits({ times }: Plan): void {
          failures = times;
        },
        scope: () => ({ installation, node, now: now(), ulid: ulid() }),
        life: () => ({ reloads, commits }),
        async asynchronous({ id, text }: Note): Promise<number> {
          await Promise.resolve();
          return insert.run(id, text);
        },
        foreign: () => () => 1,
        exit: () => process.exit(3),
        /** Breaks down outside any batch. */
        crashLater: () =>
          void setImmediate(() => {
            throw new Error('the thread broke');
          }),
      },
      beforeCommit(items) {
        pending = position;
        for (const item of items as Deferred[]) {
          item.position = ++pending;
          insertDeferred.run(item.position, item.id, items.length);
        }
        if (failures === 0) return;
        failures--;
        throw new Error('before the commit');
      },
      committed() {
        if (pending > position) position = pending;
        commits++;
      },
      reload() {
        position = readLast();
        pending = position;
        reloads++;
      },
    };
  },
  read(connection) {
    const all = connection.prepare('SELECT id, text FROM notes_note ORDER BY id');
    const deferred = connection.prepare('SELECT position, id, batch_items FROM notes_deferred ORDER BY position');
    return { all: () => all.all(), deferred: () => deferred.all() };
  },
});
