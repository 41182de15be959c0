import type { Connection, Value } from '../../../../kernel/index.ts';
import type { ResolutionPredicate } from '../../kinds/resolution.ts';
import { predicateOf, storedColumns, storedReceipt, withShapes, type StoredReceipt } from './stored-receipt.ts';

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
