import type { Connection } from '../../../kernel/index.ts';

/** Which receipts to list; absent members do not filter. */
export interface ReceiptFilter {
  readonly tenant: string | undefined;
  /** Only those of the installation itself, of these kinds. */
  readonly ownKinds?: readonly string[] | undefined;
  readonly orbiset_id: string | undefined;
  readonly orb_id: string | undefined;
  readonly status: string | undefined;
  /** RFC 3339: at or after. */
  readonly from: string | undefined;
  /** RFC 3339: before. */
  readonly to: string | undefined;
  /** Receipts older than this id. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** One line of the list. */
export interface ListedReceipt {
  readonly receipt_id: string;
  readonly kind: string;
  readonly run_id: string | null;
  readonly orbiset_id: string | null;
  readonly orb_id: string | null;
  readonly status: string | null;
  readonly trust_score: number | null;
  readonly risk_level: string | null;
  readonly timestamp: string;
  readonly origin: string;
  readonly log: number;
  readonly idx: number;
}

/** Reads of the list. */
export interface ListReads {
  /** Lists receipts, newest first. */
  listReceipts(filter: ReceiptFilter): ListedReceipt[];
}

const columns =
  'receipt_id, kind, run_id, orbiset_id, orb_id, status, trust_score, risk_level, timestamp, origin, log, idx';

const conditions = {
  before: 'receipt_id < ?',
  tenant: 'tenant = ?',
  ownKinds: 'tenant IS NULL AND kind IN (SELECT value FROM json_each(?))',
  orbiset_id: 'orbiset_id = ?',
  orb_id: 'orb_id = ?',
  status: 'status = ?',
  from: 'timestamp >= ?',
  to: 'timestamp < ?',
} as const satisfies Partial<Record<keyof ReceiptFilter, string>>;

/** Prepares the list; one statement per set of filters in use. */
export function listReceipts(connection: Connection): ListReads['listReceipts'] {
  const prepared = new Map<string, ReturnType<Connection['prepare']>>();
  return (filter) => {
    const names = (Object.keys(conditions) as (keyof typeof conditions)[]).filter((name) => filter[name] !== undefined);
    const where = names.length === 0 ? '' : `WHERE ${names.map((name) => conditions[name]).join(' AND ')}`;
    const sql = `SELECT ${columns} FROM receipts_receipts ${where} ORDER BY receipt_id DESC LIMIT ?`;
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
    const values = names.map((name) => valueOf(name, filter));
    // The columns are typed by the migration.
    return statement.all(...values, filter.limit) as unknown as ListedReceipt[];
  };
}

function valueOf(name: keyof typeof conditions, filter: ReceiptFilter): string | null {
  if (name === 'from' || name === 'to') return exact(filter[name]);
  return name === 'ownKinds' ? JSON.stringify(filter.ownKinds) : (filter[name] ?? null);
}

// Stored times have three decimals, and are compared as text.
function exact(time: string | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
