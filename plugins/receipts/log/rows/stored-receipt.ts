import type { Connection, Row, Value } from '../../../../kernel/index.ts';
import { fill, cutShape } from '../../format/shape.ts';
import { isRecord, parseJson } from '../../format/strict-json.ts';
import type { ResolutionPredicate } from '../../kinds/resolution.ts';

/** A receipt as stored: the payload, its signature, and copies of its members for reading. */
export interface StoredReceipt {
  readonly receipt_id: string;
  readonly kind: string;
  readonly run_id: string | null;
  /** Null: the installation's own. */
  readonly tenant: string | null;
  readonly orbiset_id: string | null;
  readonly orb_id: string | null;
  readonly status: string | null;
  readonly origin: string;
  /** Null: in no chain. */
  readonly sequence: number | null;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly kid: string;
  readonly digest: string;
  readonly timestamp: string;
  readonly trust_score: number | null;
  readonly risk_level: string | null;
  /** Row of its log, and its index in that log. */
  readonly log: number;
  readonly idx: number;
}

/** Members of a receipt's row, in the order they are inserted and read. */
export const receiptColumns = [
  ...['receipt_id', 'kind', 'run_id', 'tenant', 'orbiset_id', 'orb_id', 'status', 'origin', 'sequence'],
  ...['payload', 'signature', 'kid', 'digest', 'timestamp', 'trust_score', 'risk_level', 'log', 'idx'],
] as const;

/** Joins the receipts `r` with the shapes of their statements. */
export const joinShapes = 'LEFT JOIN receipts_shapes AS s ON s.shape = r.shape';

/** The column of a shape, from `joinShapes`. */
export const shapeText = 's.text AS shape_text';

/** The name of the shape of a receipt `r`; null: its statement is stored whole. */
export const shapeName = 'r.shape AS shape_name';

/** The receipts `r`, with the shapes of their statements. */
export const withShapes = `receipts_receipts AS r ${joinShapes}`;

/** The columns that `storedReceipt` reads, from `withShapes`. */
export const storedColumns = [...receiptColumns.map((column) => `r.${column}`), shapeText].join(', ');

/**
 * Lets the reads be prepared on a store of a version without shapes, which commands open before it is upgraded: each
 * statement is whole there.
 */
export function withoutShapes(connection: Connection): Connection {
  try {
    connection.prepare('SELECT shape FROM receipts_shapes WHERE shape IS NULL');
    return connection;
  } catch (error) {
    // A read that failed does not show a store without them: its receipts would not verify.
    if (!/no such (table|column)/.test(String(error))) throw error;
    const prepare: Connection['prepare'] = (sql) =>
      connection.prepare(
        sql.replace(joinShapes, '').replace(shapeText, 'NULL AS shape_text').replace(shapeName, 'NULL AS shape_name'),
      );
    return { prepare };
  }
}

/** Reads a receipt, or some members with its payload, from a row. */
export function storedReceipt<R extends Pick<StoredReceipt, 'payload'> = StoredReceipt>({
  shape_text,
  ...row
}: Row): R {
  // The migrations define the column types.
  return {
    ...row,
    payload: payloadOf({ payload: row['payload'] ?? null, shape_text: shape_text ?? null }),
  } as unknown as R;
}

/** Reads the predicate of a statement that is signed by this installation; undefined when it cannot be read. */
export function predicateOf<Predicate>(payload: Uint8Array): Partial<Predicate> | undefined {
  const statement = parseJson(Buffer.from(payload).toString());
  return isRecord(statement) ? (statement['predicate'] as Partial<Predicate>) : undefined;
}

/** Reads the statement of a row from `payload` and `shape_text`; as it is stored when the two do not fit: that does not verify. */
export function payloadOf({ payload, shape_text: shape }: Row): Uint8Array {
  const stored = payload as Uint8Array;
  if (typeof shape !== 'string') return stored;
  const text = fill(cutShape(shape), Buffer.from(stored).toString());
  return text === undefined ? stored : Buffer.from(text);
}

/** Prepares the reads of whole receipts. */
export function receiptReads(connection: Connection) {
  const receipts = <A extends Value[]>(rest: string) => {
    const statement = connection.prepare(`SELECT ${storedColumns} FROM ${withShapes} ${rest}`);
    return (...values: A): StoredReceipt[] => statement.all(...values).map(storedReceipt<StoredReceipt>);
  };
  const one = receipts<[string]>('WHERE receipt_id = ?');
  const unsettled = receipts<[runId: string]>(
    `WHERE run_id = ? AND (kind = 'resolution' OR status = 'indeterminate')
     ORDER BY CASE WHEN kind = 'resolution' THEN 1 ELSE 0 END, receipt_id`,
  );
  return {
    findReceipt: (receiptId: string) => one(receiptId)[0],
    /** The receipts of an unsettled run: its own first, then its resolutions, oldest first. */
    receiptsOfRun: (runId: string) => inChain(unsettled(runId)),
    /** Receipts of a log by their index and id, after those of one receipt, at most `limit`; none is left out when an index has two. */
    receiptsAfter: receipts<[log: number, idx: number, receiptId: string, limit: number]>(
      'WHERE r.log = ? AND (r.idx, r.receipt_id) > (?, ?) ORDER BY r.idx, r.receipt_id LIMIT ?',
    ),
    /** Receipts of a log that have no index in it, at most `limit`: a sound store has none. */
    receiptsWithoutPlace: receipts<[log: number, limit: number]>(
      'WHERE r.log = ? AND r.idx IS NULL ORDER BY r.receipt_id LIMIT ?',
    ),
    /** Receipts of a log by their index, from `first` on, at most `limit`. */
    receiptsFrom: receipts<[log: number, first: number, limit: number]>(
      'WHERE log = ? AND idx >= ? ORDER BY idx LIMIT ?',
    ),
  };
}

// Orders the receipts of a run, its own first: each resolution names the receipt that it settles. They may be in several
// shards, whose positions do not compare.
function inChain(receipts: readonly StoredReceipt[]): readonly StoredReceipt[] {
  const [first, ...rest] = receipts;
  if (first === undefined || rest.length < 2) return receipts;
  const chain = [first];
  for (let last: StoredReceipt | undefined = first; last !== undefined;) {
    const { receipt_id: id }: StoredReceipt = last;
    last = rest.find((one) => !chain.includes(one) && resolved(one) === id);
    if (last !== undefined) chain.push(last);
  }
  // What a damaged receipt hides comes first: the newest resolution stays the last.
  return [first, ...rest.filter((one) => !chain.includes(one)), ...chain.slice(1)];
}

type Resolving = { readonly facts: Partial<Pick<ResolutionPredicate['facts'], 'resolves'>> };

function resolved({ payload }: StoredReceipt): unknown {
  return predicateOf<Resolving>(payload)?.facts?.resolves?.receipt_id;
}
