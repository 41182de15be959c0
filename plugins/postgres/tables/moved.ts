import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openReading, readMoved, storeFile, type Connection, type Moved } from '../../../kernel/engine.ts';

/** Writes the mark, within the transaction that ends what the file may go on with. */
export function markMoved(database: Connection, { move, place, moved_at }: Moved): void {
  database
    .prepare('INSERT INTO kernel_moved (one, move, place, moved_at) VALUES (1, ?, ?, ?)')
    .run(move, place, moved_at);
}

/** Reads where the store of a state dir was moved to; undefined when it holds none, or one that is still in use. */
export function movedFrom(stateDir: string): Moved | undefined {
  const path = join(stateDir, storeFile);
  if (!existsSync(path)) return undefined;
  const database = openReading(path);
  try {
    const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'kernel_moved'`).get();
    return table === undefined ? undefined : readMoved(database);
  } finally {
    database.close();
  }
}
