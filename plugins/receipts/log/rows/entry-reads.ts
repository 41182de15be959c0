import { mappedRow, queriesOf, textColumn, type Connection, type Row } from '../../../../kernel/index.ts';
import type { Position } from '../../contract.ts';
import { fill, cutShape, type CutShape } from '../../format/shape.ts';
import { joinShapes, shapeName, shapeText, storedReceipt, type StoredReceipt } from './stored-receipt.ts';

/** One entry of a log with its receipt's statement as text: all that a follower of the log needs. */
export type EntryRow = Pick<StoredReceipt, 'idx' | 'receipt_id' | 'kind'> & { readonly statement: string };

/** The data that proves one entry. */
export type EntryProof = Pick<StoredReceipt, 'payload' | 'signature' | 'kid'> & { readonly entry: Uint8Array };

/** The index of the entries that are no runs: among a million runs there are few. */
export const othersMigration = `
CREATE INDEX receipts_other_places ON receipts_receipts (log, idx) WHERE kind <> 'run';
`;

/** The reads of entries. */
export type EntryReads = ReturnType<typeof entryReads>;

/** Prepares the reads; they use the index, so their cost does not depend on the size of the log. */
export function entryReads(connection: Connection) {
  // Text, not bytes: thousands of buffers a second would keep the main thread's garbage collector busy.
  // What SQLite appends to a text is a text; PostgreSQL answers bytes.
  const statement = `'' || r.payload AS statement, ${shapeName}`;
  // Both rows of an entry, so that one that is lost leaves a gap; both bounds, so that an engine may begin with either.
  const rows = connection.prepare(
    `SELECT e.idx, r.receipt_id, r.kind, ${statement}
     FROM receipts_entries AS e CROSS JOIN receipts_receipts AS r
     WHERE r.log = e.log AND r.idx = e.idx AND e.log = ? AND e.idx >= ? AND r.idx >= ? ORDER BY e.idx LIMIT ?`,
  );
  const others = connection.prepare(
    `SELECT r.idx, r.receipt_id, r.kind, ${statement} FROM receipts_receipts AS r
     WHERE r.log = ? AND r.idx >= ? AND r.kind <> 'run' ORDER BY r.idx LIMIT ?`,
  );
  const place = ({ idx, origin, receipt_id: id }: Row): [string, Position] => [
    textColumn(id),
    { origin: textColumn(origin), index: Number(idx) },
  ];
  const places = queriesOf(connection).among(
    'SELECT receipt_id, origin, idx FROM receipts_receipts',
    'receipt_id',
    place,
  );
  const proof = connection.prepare(
    `SELECT r.payload, ${shapeText}, r.signature, r.kid, e.entry
     FROM receipts_entries AS e CROSS JOIN receipts_receipts AS r ${joinShapes}
     WHERE r.log = e.log AND r.idx = e.idx AND e.log = ? AND e.idx = ?`,
  );
  const shapeOf = shapeReader(connection);
  const entryRow = (row: Row): EntryRow => entryOf(row, shapeOf);
  return {
    /** Entries of a log from the index `first` on, at most `limit`, each with its receipt. */
    entryRows: (log: number, first: number, limit: number) => rows.all(log, first, first, limit).map(entryRow),
    /** Those of the entries from the index `first` on that are no runs, at most `limit`. */
    otherRows: (log: number, first: number, limit: number) => others.all(log, first, limit).map(entryRow),
    /** Positions of receipts, by their ids; one that is not there has none. */
    positionsOf: (receiptIds: readonly string[]): ReadonlyMap<string, Position> => new Map(places(receiptIds)),
    /** The data that proves the entry at an index; undefined when there is none. */
    entryProof: (log: number, idx: number) => mappedRow(proof.get(log, idx), storedReceipt<EntryProof>),
  };
}

const mostShapes = 1000;

type ShapeOf = (shape: string) => CutShape | undefined;

// Many entries share one shape, so it is read and split once. Verification of a receipt reads its shape with it.
function shapeReader(connection: Connection): ShapeOf {
  const known = new Map<string, CutShape>();
  // Prepared at the first use, because commands read stores of older versions, which have no shapes.
  let statement: ReturnType<Connection['prepare']> | undefined;
  return (shape) => {
    const cut = known.get(shape);
    if (cut !== undefined) return cut;
    statement ??= connection.prepare('SELECT text FROM receipts_shapes WHERE shape = ?');
    const text = statement.get(shape)?.['text'];
    if (typeof text !== 'string') return undefined;
    if (known.size >= mostShapes) known.clear();
    const made = cutShape(text);
    known.set(shape, made);
    return made;
  };
}

// The migrations define the column types.
function entryOf({ idx, receipt_id, kind, shape_name: shape, statement }: Row, shapeOf: ShapeOf): EntryRow {
  const text = statement instanceof Uint8Array ? Buffer.from(statement).toString() : (statement as string);
  const cut = typeof shape === 'string' ? shapeOf(shape) : undefined;
  return { idx, receipt_id, kind, statement: cut === undefined ? text : (fill(cut, text) ?? text) } as EntryRow;
}
