import {
  given,
  whenKnown,
  type AwaitableReads,
  type AwaitedReads,
  type Connection,
  type Row,
} from '../../../../kernel/index.ts';
import type { Kinds } from '../../kinds/kind.ts';
import type { LogReads } from './tables.ts';
import { joinShapes, payloadOf, predicateOf, shapeText } from '../rows/stored-receipt.ts';
import type { AttestedLog, AttestedRow } from '../../../runtime/contract.ts';

const columns = ['idx', 'receipt_id', 'kind', 'run_id', 'tenant', 'orbiset_id', 'orb_id', 'status', 'timestamp'];

/** Prepares the read of rows of the log, with the statements of those that are no runs. */
export function attestedReads(connection: Connection) {
  const rows = connection.prepare(
    `SELECT ${columns.map((name) => `r.${name}`).join(', ')}, CASE WHEN r.kind <> 'run' THEN r.payload END AS payload,
       ${shapeText} FROM receipts_receipts AS r ${joinShapes}
     WHERE r.log = ? AND r.idx >= ? AND r.idx < ? ORDER BY r.idx LIMIT ?`,
  );
  return {
    /** Rows of a log from an index up to another, at most `limit`. */
    attestedRows: (log: number, first: number, to: number, limit: number) =>
      rows.all(log, first, to, limit).map(attestedRow),
  };
}

type FoundRow = Omit<AttestedRow, 'shard' | 'index' | 'scopes'> & { readonly idx: number };

// The migrations define the column types.
function attestedRow({ payload, shape_text, ...row }: Row): FoundRow {
  if (payload === null || payload === undefined) return row as unknown as FoundRow;
  const predicate = predicateOf(payloadOf({ payload, shape_text: shape_text ?? null }));
  return { ...row, ...given({ predicate }) } as unknown as FoundRow;
}

/** The sources of the log from which the runtime derives events. */
interface AttestedParts {
  readonly reads: Pick<AwaitableReads<LogReads>, 'logs'> & { readonly placeOf: AttestedLog['place'] };
  readonly lists: AwaitedReads<ReturnType<typeof attestedReads>>;
  readonly kinds: Kinds;
  readonly onAppend: AttestedLog['onAppend'];
}

/** Makes the log as the runtime reads it to derive events. */
export function createAttestedLog({ reads, lists, kinds, onAppend }: AttestedParts): AttestedLog {
  return Object.freeze({
    sizes: () => whenKnown(reads.logs(), (logs) => Object.fromEntries(logs.map(({ shard, size }) => [shard, size]))),
    async rows(from, to, limit) {
      const found: AttestedRow[] = [];
      for (const { log, shard } of await reads.logs()) {
        const first = from[shard] ?? 0;
        const end = to[shard] ?? 0;
        if (first >= end || found.length >= limit) continue;
        const rows = await lists.attestedRows(log, first, end, limit - found.length);
        for (const { idx: index, ...row } of rows)
          found.push({ ...row, shard, index, scopes: kinds.get(row.kind)?.scopes ?? [] });
      }
      return found;
    },
    place: (receiptId) => reads.placeOf(receiptId),
    onAppend,
  } satisfies AttestedLog);
}
