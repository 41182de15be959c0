import {
  given,
  mergePages,
  queriesOf,
  rowReader,
  timesBetween,
  type Answered,
  type Connection,
  type Page,
  type PageFilter,
  type Row,
} from '../../../../kernel/index.ts';
import { markMigration, marksBefore, type MarkedTable } from '../../../row-marks/contract.ts';
import { exactly, optional, described } from '../../format/exactly.ts';
import { storedColumns, storedReceipt, withShapes, type StoredReceipt } from './stored-receipt.ts';

/** Query members that select receipts. */
export const filterQuery = {
  orbiset: optional({ type: 'string', maxLength: 64, description: 'Only receipts of this Orbiset' }),
  orb: optional({ type: 'string', maxLength: 200, description: '`<namespace>.<name>@<version>`' }),
  status: optional({ type: 'string', maxLength: 32, description: 'Only receipts of runs with this status' }),
  from: optional({ type: 'string', format: 'date-time', description: 'Only receipts at or after this time' }),
  to: optional({ type: 'string', format: 'date-time', description: 'Only receipts before this time' }),
} as const;

/** The filter for reading receipts; absent members do not filter. Times are RFC 3339. */
export type ReceiptFilter = {
  readonly [K in 'tenant' | 'orbiset_id' | 'orb_id' | 'status' | 'from' | 'to']?: string | undefined;
};

/** Filter for listing: only receipts below the id `before`; `ownKinds`: only the installation's own of these kinds. */
export type ListFilter = ReceiptFilter & {
  readonly before?: string | undefined;
  readonly ownKinds?: readonly string[];
};

type Asked = { readonly [K in keyof typeof filterQuery]?: string };

/** Reads the filter of a query. */
export function filterOf({ from, orb, orbiset, status, to }: Asked): ReceiptFilter {
  return given({ orbiset_id: orbiset, orb_id: orb, status, from, to });
}

/** Schema of one line of the list of receipts. */
export const listedReceipt = exactly({
  receipt_id: { type: 'string', description: 'Id of the receipt' },
  kind: { type: 'string', description: 'Kind of what it attests' },
  run_id: optional({ type: 'string', description: 'Id of the run' }),
  orbiset_id: optional({ type: 'string', description: 'Id of the Orbiset' }),
  orb_id: optional({ type: 'string', description: 'Id of the Orb' }),
  status: optional({ type: 'string', description: 'Status of the run' }),
  trust_score: optional({
    type: 'integer',
    description: 'Trust score of the run, 0 to 100: how far it went under known-good controls',
  }),
  risk_level: optional({ type: 'string', description: 'Risk level of the run, from its effect and its score' }),
  timestamp: { type: 'string', description: 'When the outcome became known' },
  log: described('Its position in the log', {
    origin: { type: 'string', description: 'Name of the log' },
    index: { type: 'integer', description: 'Position in the log, from 0' },
  }),
});
/** One line of the list of receipts. */
export type ListedReceipt = Answered<typeof listedReceipt>;

/** Indexes of the receipts, for their lists: nearly every run completes, and nearly every receipt is a run's. */
export const listMigration = `
CREATE INDEX receipts_unfinished ON receipts_receipts (status, receipt_id) WHERE status <> 'completed';
CREATE INDEX receipts_other_kinds ON receipts_receipts (kind, receipt_id) WHERE kind <> 'run';
`;

/** The index of the receipts of other kinds than the run, in the order of their ids. */
export const otherKindsMigration =
  "CREATE INDEX receipts_others ON receipts_receipts (receipt_id) WHERE kind <> 'run';";

/** The columns of receipts that have marks instead of an index, which would cost each run. */
export const markedReceipts: MarkedTable<'orbiset_id' | 'orb_id'> = {
  ...{ table: 'receipts_receipts', id: 'receipt_id', marks: 'receipts_marks' },
  columns: ['orbiset_id', 'orb_id'],
};

/** Marks the Orbisets and Orbs of receipts. */
export const receiptMarks = markMigration(markedReceipts);

/** Prepares the reads with a filter. */
export function filteredReads(connection: Connection) {
  const { find, pages } = queriesOf(connection);
  const newest = pages({ select: listedColumns, table: 'receipts_receipts', id: 'receipt_id', read: listed });
  const topOf = marksBefore(connection, markedReceipts);
  const ofKind = find("SELECT 1 FROM receipts_receipts WHERE kind = ? AND kind <> 'run' LIMIT 1", () => true);
  return {
    /** Lists receipts, newest first. */
    listReceipts({ limit, ownKinds, ...filter }: ListFilter & { readonly limit: number }): Page<ListedReceipt> {
      const before = topOf(filter, filter.before);
      if (before === undefined) return { items: [] };
      const { from, to } = timesBetween('rec', 'timestamp', filter);
      const { indexed, tried } = conditionsOf(filter);
      const paged = { before, limit };
      const merged = (lists: readonly Page<ListedReceipt>[]): Page<ListedReceipt> =>
        mergePages(lists, limit, ({ receipt_id }) => receipt_id);
      if (ownKinds !== undefined) {
        const own = { where: 'tenant IS NULL', values: [] };
        // One list per kind, since each has its place in an index.
        const ofKind = (kind: string): PageFilter => ({ where: "kind = ? AND kind <> 'run'", values: kind });
        return merged(
          ownKinds.map((kind) => newest({ indexed: [...indexed, ofKind(kind)], tried: [...tried, own], ...paged })),
        );
      }
      if (from === undefined && to === undefined) return newest({ indexed, tried, ...paged });
      // A plugin may attest what happened long before; of a run the id is made when it ends.
      const runs = newest({ indexed, tried: [...tried, { where: "kind = 'run'", values: [] }], ...paged, from, to });
      const others = newest({ indexed: [...indexed, { where: "kind <> 'run'", values: [] }], tried, ...paged });
      return merged([runs, others]);
    },
    /** Says whether a fact of a plugin's kind was attested. */
    hasKind: (kind: string): boolean => ofKind(kind) ?? false,
    ...exportReads(connection),
  };
}

function conditionsOf(filter: ReceiptFilter): Record<'indexed' | 'tried', readonly PageFilter[]> {
  const { orb_id, orbiset_id, status, tenant } = filter;
  const { tried } = timesBetween('rec', 'timestamp', filter);
  const completed = status === 'completed';
  return {
    indexed: [
      { where: 'tenant = ?', values: tenant },
      { where: "status = ? AND status <> 'completed'", values: completed ? undefined : status },
    ],
    tried: [
      ...tried,
      { where: 'orbiset_id = ?', values: orbiset_id },
      { where: 'orb_id = ?', values: orb_id },
      { where: 'status = ?', values: completed ? status : undefined },
    ],
  };
}

function exportReads(connection: Connection) {
  const prepared = new Map<string, ReturnType<Connection['prepare']>>();
  return {
    /** Receipts of a log by their index, from `from` on and below `to`, at most `limit`: a bounded read with any filter. */
    exportRows(
      log: number,
      filter: ReceiptFilter,
      { from, limit, to }: { readonly from: number; readonly to: number; readonly limit: number },
    ): StoredReceipt[] {
      const { indexed, tried } = conditionsOf(filter);
      const chosen = [...indexed, ...tried].filter(({ values }) => values !== undefined);
      // Inside CASE no condition leads an engine, whatever it counted, to another index than that of the places.
      const where = chosen.map((one) => ` AND CASE WHEN ${one.where} THEN 1 ELSE 0 END = 1`).join('');
      const sql = `${exported} WHERE r.log = ? AND r.idx >= ? AND r.idx < ?${where} ORDER BY r.idx LIMIT ?`;
      const statement = prepared.get(sql) ?? connection.prepare(sql);
      prepared.set(sql, statement);
      const values = chosen.flatMap((one) => one.values ?? []);
      return statement.all(log, from, to, ...values, limit).map(storedReceipt<StoredReceipt>);
    },
  };
}

const columns = Object.keys(listedReceipt.properties).filter((name) => name !== 'log');
const listedColumns = [...columns, 'origin', 'idx'].join(', ');
const headOf = rowReader<Omit<ListedReceipt, 'log'>>(listedReceipt);
const placeOf = rowReader<{ readonly origin: string; readonly idx: number }>({ properties: { origin: {}, idx: {} } });
const exported = `SELECT ${storedColumns} FROM ${withShapes}`;

function listed(row: Row): ListedReceipt {
  const { origin, idx } = placeOf(row);
  return { ...headOf(row), log: { origin, index: idx } };
}
