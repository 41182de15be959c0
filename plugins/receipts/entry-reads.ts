import type { Connection, Row } from '../../kernel/index.ts';

/** One entry of a log with its receipt, as stored. */
export interface EntryRow {
  readonly idx: number;
  readonly receipt_id: string;
  readonly kind: string;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly kid: string;
  readonly entry: Uint8Array;
}

/** Reads of the log, entry by entry. */
export interface EntryReads {
  /** Entries of a log from the index `first` on, at most `limit`, each with its receipt. */
  entryRows(log: number, first: number, limit: number): EntryRow[];
}

/** Prepares the reads; they go by index, whatever the size of the log. */
export function entryReads(connection: Connection): EntryReads {
  const rows = connection.prepare(
    `SELECT e.idx, e.entry, r.receipt_id, r.kind, r.payload, r.signature, r.kid
     FROM receipts_entries AS e CROSS JOIN receipts_receipts AS r ON r.log = e.log AND r.idx = e.idx
     WHERE e.log = ? AND e.idx >= ? ORDER BY e.idx LIMIT ?`,
  );
  return { entryRows: (log, first, limit) => rows.all(log, first, limit).map(entryRow) };
}

// The columns are typed by the migrations.
function entryRow(row: Row): EntryRow {
  return row as unknown as EntryRow;
}
