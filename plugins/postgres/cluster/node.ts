import type { Bound } from '../connection/flush.ts';
import { bind } from '../connection/session.ts';

/** The row of this process, and how far it has come. `epoch` moves on when it takes its row again. */
export interface NodeHead {
  readonly node: string;
  readonly incarnation: string;
  readonly epoch: number;
  /** Number of the last batch that it committed. */
  readonly batch: number;
}

/** Code of the error with which the fence refuses a flush: division by zero. */
export const fenceCode = '22012';

/**
 * The first statement of each transaction: it locks the row of this process, and divides by zero when the row is not live
 * any more or another process has moved its epoch on. No row is updated per batch: a long snapshot would keep each version.
 */
export function fence({ node, epoch }: NodeHead): Bound {
  return bind(
    `WITH held AS (SELECT node FROM kernel_nodes WHERE node = ? AND epoch = ? AND state = 'live' FOR UPDATE)
     SELECT 1 / count(*) AS held FROM held`,
    [node, epoch],
  );
}

// A batch's number is a row of its own. The last ones are enough, and a few are dropped at a time.
const kept = 64;

/** The last statements of each transaction: a batch has its number once. */
export function batchEnd({ node, batch }: NodeHead): readonly Bound[] {
  const next = batch + 1;
  const insert = bind('INSERT INTO kernel_batches (node, batch) VALUES (?, ?)', [node, next]);
  return next % kept === 0 ? [insert, dropBatches(node, next - 2 * kept, next - kept)] : [insert];
}

// Bounded on both sides: what was dropped while a long snapshot is open still lies in the index.
function dropBatches(node: string, after: number, upTo: number): Bound {
  return bind('DELETE FROM kernel_batches WHERE node = ? AND batch > ? AND batch <= ?', [node, after, upTo]);
}

/** Takes the row of this process again: what an older session still sends fails its fence. Answers nothing when adopted. */
export function moveEpoch({ node, incarnation }: NodeHead): Bound {
  return bind(
    `UPDATE kernel_nodes SET epoch = epoch + 1 WHERE node = ? AND incarnation = ? AND state = 'live' RETURNING epoch`,
    [node, incarnation],
  );
}

/** Reads the number of the last batch that was committed. */
export function newestBatch({ node }: Pick<NodeHead, 'node'>): Bound {
  return bind('SELECT max(batch) AS batch FROM kernel_batches WHERE node = ?', [node]);
}
