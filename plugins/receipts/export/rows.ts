import type { Connection } from '../../../kernel/index.ts';
import { receiptColumns } from '../issue/append-receipt.ts';
import type { StoredReceipt } from '../read/stored-receipt.ts';

/** Which receipts an export holds; absent members do not filter. Times are RFC 3339 UTC with three decimals. */
export interface ExportFilter {
  readonly tenant?: string;
  readonly orbiset_id?: string;
  readonly orb_id?: string;
  readonly status?: string;
  /** At or after. */
  readonly from?: string;
  /** Before. */
  readonly to?: string;
}

/** A receipt with the number of its row. */
export type ExportRow = StoredReceipt & { readonly row: number };

/** Reads of exports, in the order of the commits. */
export interface ExportReads {
  /** The number of the newest row; 0 when there is none. */
  newestRow(): number;
  /** Receipts of a log in the rows after `after` up to `upTo`, at most `limit`. */
  exportRows(log: number, filter: ExportFilter, window: RowWindow): ExportRow[];
}

/** A span of rows. It bounds the work of one read, whatever the filter finds in it. */
export interface RowWindow {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

const conditions = {
  tenant: 'tenant = ?',
  orbiset_id: 'orbiset_id = ?',
  orb_id: 'orb_id = ?',
  status: 'status = ?',
  from: 'timestamp >= ?',
  to: 'timestamp < ?',
} as const satisfies Record<keyof ExportFilter, string>;

/** Prepares the reads of exports; one statement per set of filters in use. */
export function exportReads(connection: Connection): ExportReads {
  const newest = connection.prepare('SELECT max(rowid) AS row FROM receipts_receipts');
  const prepared = new Map<string, ReturnType<Connection['prepare']>>();
  return {
    newestRow: () => Number(newest.get()?.['row'] ?? 0),
    exportRows(log, filter, { after, limit, upTo }) {
      const names = (Object.keys(conditions) as (keyof ExportFilter)[]).filter((name) => filter[name] !== undefined);
      const where = ['log = ?', 'rowid > ?', 'rowid <= ?', ...names.map((name) => conditions[name])].join(' AND ');
      const sql = `SELECT rowid AS row, ${receiptColumns.join(', ')} FROM receipts_receipts NOT INDEXED
        WHERE ${where} ORDER BY rowid LIMIT ?`;
      const statement = prepared.get(sql) ?? connection.prepare(sql);
      prepared.set(sql, statement);
      const values = names.map((name) => filter[name] ?? null);
      // The columns are typed by the migrations.
      return statement.all(log, after, upTo, ...values, limit) as unknown as ExportRow[];
    },
  };
}
