import { randomBytes } from 'node:crypto';
import { rowWriter, type Awaitable, type Connection, type WriterScope } from '../../../../kernel/index.ts';

/** Inputs, outputs or the reason of a failure, to be kept for a limited time. */
export interface ValueToKeep {
  readonly receipt_id: string;
  readonly name: 'inputs' | 'outputs' | 'reason';
  /** salt ‖ canonical form; of a reason what `reasonToKeep` writes */
  readonly opening: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly erase_at: number;
}

/** Prepares the read of kept values. */
export function valueReads(connection: Connection) {
  const kept = connection.prepare('SELECT sealed FROM receipts_values WHERE receipt_id = ? AND name = ?');
  return {
    /** A kept value with its salt, sealed; undefined when it was not kept or is erased. */
    keptValue: (receiptId: string, name: ValueToKeep['name']) =>
      kept.get(receiptId, name)?.['sealed'] as Uint8Array | undefined,
  };
}

// More than a receipt and its entry need.
const probeBytes = 65_536;

/** Prepares the writes of kept values. `probe`: checks whether the next receipt can be signed. */
export function valueWrites({ connection, sealer }: WriterScope, probe: () => void) {
  const keep = rowWriter(connection, 'receipts_values', ['receipt_id', 'name', 'sealed', 'erase_at']);
  const erase = connection.prepare(
    `DELETE FROM receipts_values WHERE (receipt_id, name) IN (
       SELECT receipt_id, name FROM receipts_values WHERE erase_at <= ? ORDER BY erase_at LIMIT ?)`,
  );
  const eraseOf = connection.prepare('DELETE FROM receipts_values WHERE receipt_id = ?');
  return {
    /** Keeps inputs or outputs with their salt, or the reason of a failure, sealed. */
    keepValue({ opening, ...row }: ValueToKeep): void {
      keep({ ...row, sealed: sealer.seal('inputs', opening) });
    },
    /** Signs with both keys and writes as much as a receipt needs: commits when the next receipt can be issued. */
    probe(_: object): void {
      probe();
      erase.queue(0, 1);
      keep({ receipt_id: 'probe', name: 'inputs', sealed: randomBytes(probeBytes), erase_at: 0 });
    },
    /** Erases values that are due (`before`: milliseconds since the Unix epoch), at most so many; answers how many. */
    eraseValues: ({ before, most }: { readonly before: number; readonly most: number }): Awaitable<number> =>
      erase.run(before, most),
    /** Erases all values that are kept of a receipt; answers how many. */
    eraseValuesOf: ({ receipt_id }: Pick<ValueToKeep, 'receipt_id'>): Awaitable<number> => eraseOf.run(receipt_id),
  };
}
