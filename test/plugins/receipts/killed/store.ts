import { immediate } from '../../../../kernel/surface.ts';
import type { Connection, WriterScope } from '../../../../kernel/index.ts';
import receiptsStore from '../../../../plugins/receipts/store.ts';

type Statement = ReturnType<Connection['prepare']>;

// The plugin's store, in a process that dies right before the n-th run of a statement, or after a commit.
const { KILL_AT: point = '', KILL_AFTER: after = '0' } = process.env;
let armed = false;
let left = Number(after);

function step(name: string): void {
  if (!armed || !name.includes(point) || left-- > 0) return;
  process.kill(process.pid, 'SIGKILL');
}

function watched(sql: string, statement: Statement): Statement {
  return {
    queue: (...values) => (step(sql), statement.queue(...values)),
    must: (...values) => (step(sql), statement.must(...values)),
    run: (...values) => (step(sql), statement.run(...values)),
    get: (...values) => (step(sql), statement.get(...values)),
    all: (...values) => (step(sql), statement.all(...values)),
  };
}

export default {
  ...receiptsStore,
  write(scope: WriterScope) {
    const { connection } = immediate(scope);
    const prepare = (sql: string): Statement => watched(sql, connection.prepare(sql));
    const writing = receiptsStore.write({ ...scope, connection: { prepare } });
    return {
      ...writing,
      committed(): void {
        step('committed');
        writing.committed?.();
        // The first commit is that of the start.
        armed = true;
      },
    };
  },
};
