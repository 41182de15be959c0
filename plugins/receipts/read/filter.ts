import { exactly, given, optional, rowReader, type Answered, type Connection } from '../../../kernel/index.ts';
import { receiptColumns } from '../issue/append-receipt.ts';
import type { StoredReceipt } from './stored-receipt.ts';

/** Query members that select receipts. */
export const filterQuery = {
  orbiset: optional({ type: 'string', maxLength: 64, description: 'Only of this Orbiset' }),
  orb: optional({ type: 'string', maxLength: 200, description: '`<namespace>.<name>@<version>`' }),
  status: optional({ type: 'string', maxLength: 32, description: 'Only of runs that ended so' }),
  from: optional({ type: 'string', format: 'date-time', description: 'not before this time' }),
  to: optional({ type: 'string', format: 'date-time', description: 'before this time' }),
} as const;

const conditions = {
  before: 'receipt_id < ?',
  tenant: 'tenant = ?',
  ownKinds: 'tenant IS NULL AND kind IN (SELECT value FROM json_each(?))',
  orbiset_id: 'orbiset_id = ?',
  orb_id: 'orb_id = ?',
  status: 'status = ?',
  from: 'timestamp >= ?',
  to: 'timestamp < ?',
} as const;

/** The filter for reading receipts; absent members do not filter. Times are RFC 3339 UTC with three decimals. */
export type ReceiptFilter = { readonly [K in Exclude<keyof typeof conditions, 'before' | 'ownKinds'>]?: string };

/** Filter for listing: receipts older than id `before`; `ownKinds`: only the installation's own of these kinds. */
export type ListFilter = ReceiptFilter & { readonly before?: string; readonly ownKinds?: readonly string[] };

/** Reads the filter of a query. */
export function filterOf({
  from,
  orb,
  orbiset,
  status,
  to,
}: {
  readonly [K in keyof typeof filterQuery]?: string;
}): ReceiptFilter {
  // Stored times have three decimals and are compared as text.
  const exact = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
  return given({ orbiset_id: orbiset, orb_id: orb, status, from: exact(from), to: exact(to) });
}

/** Schema of one line of the list of receipts. */
export const listedReceipt = exactly({
  receipt_id: { type: 'string', description: 'Id of the receipt' },
  kind: { type: 'string', description: 'What it attests' },
  run_id: optional({ type: 'string', description: 'Id of the run' }),
  orbiset_id: optional({ type: 'string', description: 'Id of the Orbiset' }),
  orb_id: optional({ type: 'string', description: 'Id of the Orb' }),
  status: optional({ type: 'string', description: 'How the run ended' }),
  trust_score: optional({ type: 'integer', description: 'How far the run went under known-good controls, 0 to 100' }),
  risk_level: optional({ type: 'string', description: 'The risk of the run, by its effect and its score' }),
  timestamp: { type: 'string', description: 'When the outcome was known' },
  log: {
    description: 'Its position',
    ...exactly({
      origin: { type: 'string', description: 'Name of the log' },
      index: { type: 'integer', description: 'Position in the log, from 0' },
    }),
  },
});
/** One line of the list of receipts. */
export type ListedReceipt = Answered<typeof listedReceipt>;

/** Prepares the reads with a filter; one statement per set of filters in use. */
export function filteredReads(connection: Connection) {
  const newest = connection.prepare('SELECT max(rowid) AS row FROM receipts_receipts');
  const prepared = new Map<string, ReturnType<Connection['prepare']>>();
  const rows = (select: string, filter: object, order: string, first: readonly number[], limit: number) => {
    const chosen = Object.entries(filter) as [keyof typeof conditions, string | readonly string[]][];
    const where = [...(first.length === 0 ? [] : [inRows]), ...chosen.map(([name]) => conditions[name])].join(' AND ');
    const sql = `SELECT ${select} ${where === '' ? '' : `WHERE ${where}`} ORDER BY ${order} LIMIT ?`;
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
    const values = chosen.map(([, value]) => (typeof value === 'string' ? value : JSON.stringify(value)));
    return statement.all(...first, ...values, limit);
  };
  return {
    /** Lists receipts, newest first, at most `limit`. */
    listReceipts: (filter: ListFilter, limit: number): ListedReceipt[] =>
      rows(`${listedColumns} FROM receipts_receipts`, filter, 'receipt_id DESC', [], limit).map(listed),
    /** The number of the newest row; 0 when there is none. */
    newestRow: () => Number(newest.get()?.['row'] ?? 0),
    /** Receipts of a log in the rows after `after` up to `upTo`, at most `limit`: a bounded read with any filter. */
    exportRows: (
      log: number,
      filter: ReceiptFilter,
      { after, limit, upTo }: { readonly after: number; readonly upTo: number; readonly limit: number },
      // The migrations define the column types.
    ) => rows(exported, filter, 'rowid', [log, after, upTo], limit) as unknown as (StoredReceipt & { row: number })[],
  };
}

const listed = rowReader<ListedReceipt>(listedReceipt);
const listedColumns = Object.keys(listedReceipt.properties)
  .map((name) => (name === 'log' ? "json_object('origin', origin, 'index', idx) AS log" : name))
  .join(', ');
const exported = `rowid AS row, ${receiptColumns.join(', ')} FROM receipts_receipts NOT INDEXED`;
const inRows = 'log = ? AND rowid > ? AND rowid <= ?';
