import { getPriority } from 'node:os';
import { defineStore, PlatformError, type Connection } from '../../../kernel/index.ts';

const series =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) AS n FROM n';

const loadedAt = getPriority();

/** A store whose reads can take as long as a test wants. */
export default defineStore({
  name: 'slow',
  migrations: ['CREATE TABLE slow_row (id TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT'],
  write({ connection }) {
    const put = connection.prepare('INSERT INTO slow_row VALUES (?, ?)');
    return {
      operations: { put: ({ id, bytes }: { id: string; bytes: Uint8Array }) => put.run(id, bytes) },
    };
  },
  read(connection: Connection) {
    const find = connection.prepare('SELECT id FROM slow_row WHERE id = ?');
    const count = connection.prepare('SELECT count(*) AS n FROM slow_row WHERE id <= coalesce(?, id)');
    const slowly = connection.prepare(series);
    return {
      find: (id: string) => find.get(id)?.['id'],
      /** The priority of this thread when it loaded this module. */
      priority: () => loadedAt,
      slowly: (steps: number) => Number(slowly.get(steps)?.['n']),
      refuse(what: string): never {
        throw new PlatformError('invalid_parameter', `${what} is refused`);
      },
      below: { count: (id: string | undefined, _: string | undefined) => Number(count.get(id ?? null)?.['n']) },
    };
  },
});
