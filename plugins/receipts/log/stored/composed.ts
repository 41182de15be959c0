import { checkOwnLog } from './own-log.ts';
import { ownShard, type Owner } from './own-shard.ts';
import { consistencyAtSizes, inclusionAtSize, proverOf } from './read-proof.ts';
import type { LogReads, LogRow, StoredCheckpoint } from './tables.ts';
import type { PublicKey } from '../../format/jwk.ts';
import type { Place } from '../../verifier/report.ts';
import type { StoredReceipt } from '../rows/stored-receipt.ts';

/** The basic reads, from which other reads are composed. */
export interface ReadParts extends LogReads {
  keys(): PublicKey[];
  findReceipt(receiptId: string): StoredReceipt | undefined;
  receiptsOfRun(runId: string): readonly StoredReceipt[];
}

/** Makes reads of many rows, e.g. the tiles of a proof: one each, so that an engine of another process is asked once. */
export function composedReads(parts: ReadParts) {
  const placeOf = (receiptId: string) => {
    const row = parts.findReceipt(receiptId);
    const log = parts.logs().find((candidate) => candidate.log === row?.log);
    return row === undefined || log === undefined ? undefined : { shard: log.shard, index: row.idx };
  };
  return {
    /** A receipt with its proof and, when its outcome was unknown, the receipts of its run. */
    provenReceipt(receiptId: string) {
      const row = parts.findReceipt(receiptId);
      if (row === undefined) return undefined;
      const { idx, log, run_id, status } = row;
      const ofRun = run_id === null || status !== 'indeterminate' ? [] : parts.receiptsOfRun(run_id);
      return { row, proof: proverOf(log, parts)(idx), ofRun };
    },
    placeOf,
    /** The keys, the logs and whose they are. */
    keyState: () => ({ keys: parts.keys(), logs: parts.logs(), owners: parts.owners() }),
    /** The logs, each with its newest checkpoint. */
    notedLogs: () => parts.logs().map((row) => ({ row, newest: parts.newestCheckpoint(row.log) })),
    /** The newest checkpoint of the log that a process writes. */
    ownNote: (owner: Owner): string | undefined => parts.newestCheckpoint(ownShard(parts, owner)?.log ?? 0)?.note,
    inclusion: (log: LogRow, index: number, size: number) => inclusionAtSize(parts, log, index, size),
    consistency: (log: LogRow, from: number, to: number) => consistencyAtSizes(parts, log, from, to),
    /** Proofs of entries under a checkpoint of their log, in the order of the indexes. */
    proofs(log: number, newest: StoredCheckpoint, indexes: readonly number[]) {
      const prove = proverOf(log, parts, newest);
      return indexes.map(prove);
    },
    /** Says whether an entry is in a log of this server. */
    ownLog: (origin: string, place: Place | undefined) => checkOwnLog(origin, place, parts),
  };
}
