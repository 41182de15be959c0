import type { Connection, Row } from '../../../kernel/index.ts';

/** One entry of a log with the statement of its receipt, as text: whoever follows the log needs no more. */
export interface EntryRow {
  readonly idx: number;
  readonly receipt_id: string;
  readonly kind: string;
  /** The payload: UTF-8 in the store. */
  readonly statement: string;
}

/** What proves one entry. */
export interface EntryProof {
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly kid: string;
  readonly entry: Uint8Array;
}

/** Reads of the log, entry by entry. */
export interface EntryReads {
  /** Entries of a log from the index `first` on, at most `limit`, each with its receipt. */
  entryRows(log: number, first: number, limit: number): EntryRow[];
  /** What proves the entry at an index; undefined when there is none. */
  entryProof(log: number, idx: number): EntryProof | undefined;
}

/** Prepares the reads; they go by index, whatever the size of the log. */
export function entryReads(connection: Connection): EntryReads {
  // Text, not bytes: thousands of buffers a second would keep the collector of the serving thread busy.
  const rows = connection.prepare(
    `SELECT e.idx, r.receipt_id, r.kind, CAST(r.payload AS TEXT) AS statement
     FROM receipts_entries AS e CROSS JOIN receipts_receipts AS r ON r.log = e.log AND r.idx = e.idx
     WHERE e.log = ? AND e.idx >= ? ORDER BY e.idx LIMIT ?`,
  );
  const proof = connection.prepare(
    `SELECT r.payload, r.signature, r.kid, e.entry
     FROM receipts_entries AS e CROSS JOIN receipts_receipts AS r ON r.log = e.log AND r.idx = e.idx
     WHERE e.log = ? AND e.idx = ?`,
  );
  return {
    entryRows: (log, first, limit) => rows.all(log, first, limit).map(entryRow),
    entryProof: (log, idx) => proof.get(log, idx) as unknown as EntryProof | undefined,
  };
}

// The columns are typed by the migrations.
function entryRow(row: Row): EntryRow {
  return row as unknown as EntryRow;
}
