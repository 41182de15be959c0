import {
  arrivedBy,
  ConfigError,
  openReading,
  readMoved,
  storeFile,
  type Connection,
  type Moved,
} from '../../../kernel/engine.ts';
import { ask, type Session } from '../connection/session.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The table of the mark of a database that is filled by a move, and may not be used yet. */
export const movingTable = `CREATE TABLE kernel_moving (one INTEGER PRIMARY KEY CHECK (one = 1), move TEXT NOT NULL);`;

/** Reads the id of the move that fills a database; undefined when none does. */
export async function readMoving(session: Session): Promise<string | undefined> {
  const [found] = await ask(session, 'SELECT move FROM kernel_moving');
  const move = found?.['move'];
  return move === undefined ? undefined : String(move);
}

/** Marks a database as the target of a move: servers do not start on it. */
export async function markMoving(session: Session, move: string): Promise<void> {
  await ask(session, 'INSERT INTO kernel_moving (one, move) VALUES (1, ?)', [move]);
}

/** Lifts the mark of a move, which has ended. */
export async function liftMoving(session: Session, move: string): Promise<void> {
  await ask(session, 'DELETE FROM kernel_moving WHERE move = ?', [move]);
}

/** The mark of a database whose store a move brings into a file. */
export function intoFile(move: string): string {
  return `file:${move}`;
}

/**
 * Lifts the mark when the store of this state dir, which fills the database, is marked as moved: then no other place
 * has these rows; so too when the database fills a file that is not in its place yet. Throws ConfigError when the move has
 * not come so far, or has ended.
 */
export async function settleMove(session: Session, stateDir: string): Promise<void> {
  const move = await readMoving(session);
  if (move === undefined) return;
  if (movedFrom(stateDir)?.move === move) return liftMoving(session, move);
  if (intoFile(arrivedBy(stateDir) ?? '') === move) return liftMoving(session, move);
  throw refusalOf(move);
}

/** Throws ConfigError when a move has the database: it may have begun since the start of this process. */
export async function refuseMoving(session: Session): Promise<void> {
  const move = await readMoving(session);
  if (move !== undefined) throw refusalOf(move);
}

function refusalOf(move: string): ConfigError {
  if (move.startsWith(intoFile('')))
    return new ConfigError([
      'ORB_STORE_URL: the store of the database was moved into a file; start without ORB_STORE_URL in the state dir that has the file. If the move was interrupted, run `orb store move --to-file` there again',
    ]);
  return new ConfigError([
    'ORB_STORE_URL: `orb store move` is filling the database and has not ended; run it again in the same state dir',
  ]);
}

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
