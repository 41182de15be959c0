import type { WriteConnection, WriteStatement } from '../../../../kernel/index.ts';
import type { LogRow } from './tables.ts';

/** The head of a log: its size and its root. */
export interface Head {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Moves the head of a log, with its checkpoint, from where this writer left it. The batch fails when it is not there. */
export type MoveHead = (from: Head, to: Head & { readonly note: string }) => void;

/** Makes a MoveHead. Only the newest checkpoint is kept: the entries prove every size of the log before it. */
export function headMover(connection: WriteConnection, { inCheckpoint, log }: LogRow): MoveHead {
  const insert = connection.prepare('INSERT INTO receipts_checkpoints (log, size, note) VALUES (?, ?, ?)');
  return inCheckpoint === true ? movedByCheckpoint(connection, log, insert) : movedByRow(connection, log, insert);
}

function movedByRow(connection: WriteConnection, log: number, insert: WriteStatement): MoveHead {
  const moveHead = connection.prepare(
    `UPDATE receipts_logs SET size = ?, root = ? WHERE log = ? AND size = ? AND root = ? AND status = 'active'`,
  );
  const moveCheckpoint = connection.prepare(
    'UPDATE receipts_checkpoints SET size = ?, note = ? WHERE log = ? AND size = ?',
  );
  return (from, to) => {
    if (moveHead.run(to.size, to.root, log, from.size, from.root) !== 1)
      throw new Error('the head of the log was changed by another writer');
    if (moveCheckpoint.run(to.size, to.note, log, from.size) === 0) insert.queue(log, to.size, to.note);
  };
}

// Two writers that append to one size write the same index; one whose checkpoint is gone is behind or ahead.
function movedByCheckpoint(connection: WriteConnection, log: number, insert: WriteStatement): MoveHead {
  const drop = connection.prepare(
    `DELETE FROM receipts_checkpoints WHERE log = ? AND size = ?
     AND EXISTS (SELECT 1 FROM receipts_logs AS l WHERE l.log = receipts_checkpoints.log AND l.status = 'active')`,
  );
  return (from, to) => {
    if (from.size > 0) drop.must(log, from.size);
    insert.queue(log, to.size, to.note);
  };
}
