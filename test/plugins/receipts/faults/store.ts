import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { immediate } from '../../../../kernel/surface.ts';
import type { WriterScope } from '../../../../kernel/index.ts';
import receiptsStore from '../../../../plugins/receipts/store.ts';
import type { Fault } from './fault.ts';

// The plugin's store in a writer thread whose disk fails when a file says so. Its own thread: nothing else sees this.
type Run = (...values: unknown[]) => unknown;
let file = '';

// It may be taken away while it is read.
function faultNow(): Fault | undefined {
  try {
    return file === '' ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as Fault);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs a statement as the file says: it fails, or it takes effect and then fails. */
function step(sql: string, act: () => unknown): unknown {
  const fault = faultNow();
  if (fault === undefined || fault.left < 1 || !sql.includes(fault.statement)) return act();
  writeFileSync(file, JSON.stringify({ ...fault, left: fault.left - 1 } satisfies Fault));
  if (fault.persisted) act();
  throw new Driver.SqliteError(
    fault.code === 'SQLITE_FULL' ? 'database or disk is full' : 'disk I/O error',
    fault.code,
  );
}

const { prepare } = Driver.prototype as { prepare: (this: Driver.Database, sql: string) => Driver.Statement };
Driver.prototype.prepare = function (this: Driver.Database, sql: string) {
  const statement = prepare.call(this, sql) as unknown as Record<'run' | 'get' | 'all', Run>;
  for (const name of ['run', 'get', 'all'] as const) {
    const original = statement[name].bind(statement);
    Object.defineProperty(statement, name, { value: (...values: unknown[]) => step(sql, () => original(...values)) });
  }
  return statement;
} as unknown as typeof Driver.prototype.prepare;

export default {
  ...receiptsStore,
  write(scope: WriterScope) {
    const writing = receiptsStore.write(scope);
    const { connection } = immediate(scope);
    const pages = connection.prepare('PRAGMA page_count');
    file = join(scope.stateDir, 'fault.json');
    const operations = {
      ...writing.operations,
      /** Gives the disk room for so many more pages. */
      leaveRoom: ({ room }: { readonly room: number }): unknown =>
        connection.prepare(`PRAGMA max_page_count = ${Number(pages.get()?.['page_count']) + room}`).get(),
    };
    return { ...writing, operations };
  },
};
