import { existsSync } from 'node:fs';
import Driver from 'better-sqlite3';

// Loaded into each thread of a server: as long as the file TEST_FULL_DISK is there, nothing can be committed, as when
// SQLite finds no room for its log.
const marker = process.env['TEST_FULL_DISK'] ?? '';
const { prepare } = Driver.prototype as { prepare: (this: Driver.Database, sql: string) => Driver.Statement };

Driver.prototype.prepare = function (this: Driver.Database, sql: string) {
  const statement = prepare.call(this, sql);
  if (sql !== 'COMMIT') return statement;
  const run = statement.run.bind(statement);
  Object.defineProperty(statement, 'run', {
    value: (...values: unknown[]) => {
      if (existsSync(marker)) throw new Driver.SqliteError('database or disk is full', 'SQLITE_FULL');
      return run(...values);
    },
  });
  return statement;
} as unknown as typeof Driver.prototype.prepare;
