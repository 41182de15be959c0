import { PlatformError } from '../../../../kernel/index.ts';
import { encodeBase64 } from '../../format/base64.ts';
import type { LogProofDocument } from '../../contract.ts';
import { readCheckpoint } from '../pure/note.ts';
import { type Subtrees, consistencyProof, inclusionProof, rootOf, subtreesOf } from '../pure/tree.ts';
import { type LogReads, type LogRow, type StoredCheckpoint, nativeSha256 } from './tables.ts';
import { problems } from '../../problems.ts';
import { ownShard, type Owner } from './own-shard.ts';
import type { PublicKey } from '../../format/jwk.ts';
import type { StoredReceipt } from '../rows/stored-receipt.ts';

/** Reads the full subtrees of a log, at a size, from its stored tiles and entries. */
export function storedSubtrees(reads: LogReads, log: number, size: number): Subtrees {
  return subtreesOf((tile) => reads.tile(log, tile), size, nativeSha256);
}

/** Computes the root of a stored log at a size; empty, which no signed root is, when a tile lacks hashes. */
export function storedRoot(reads: LogReads, log: number, size: number): Uint8Array {
  return ifWhole(() => rootOf(size, storedSubtrees(reads, log, size), nativeSha256)) ?? new Uint8Array();
}

// A damaged tile yields no value.
function ifWhole<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Proves entries of one log by their index; undefined when the store yields no proof. The caller verifies it. */
export type Prove = (index: number) => LogProofDocument | undefined;

/** Makes a Prove under a checkpoint of a log, by default the newest; reads and hashes shared parts of proofs once. */
export function proverOf(log: number, reads: LogReads, newest = reads.newestCheckpoint(log)): Prove {
  const checkpoint = readCheckpoint(newest?.note)?.checkpoint;
  if (newest === undefined || checkpoint === undefined) return () => undefined;
  const { size } = newest;
  const subtrees = memoized(storedSubtrees(reads, log, size));
  return (index) => {
    const [leaf] = reads.entries(log, index, 1);
    // Without a proof the receipt is shown as unproved.
    const hashes = index < size ? ifWhole(() => inclusionProof(index, size, subtrees, nativeSha256)) : undefined;
    if (leaf === undefined || hashes === undefined) return undefined;
    return {
      ...{ origin: checkpoint.origin, index, tree_size: size, checkpoint: newest.note },
      ...{ hashes: hashes.map(encodeBase64), leaf: encodeBase64(leaf) },
    };
  };
}

function memoized(subtrees: Subtrees): Subtrees {
  const known = new Map<string, Uint8Array>();
  return (height, index) => {
    // The subtree of height 0 is the leaf itself.
    if (height === 0) return subtrees(0, index);
    const name = `${height}/${index}`;
    const root = known.get(name) ?? subtrees(height, index);
    known.set(name, root);
    return root;
  };
}

/** Builds the inclusion proof of an index at a size. `index` < `size` ≤ size of the log. Throws 503 `log_damaged`. */
export function inclusionAtSize(reads: LogReads, { log }: LogRow, index: number, size: number) {
  return undamaged(() => {
    const subtrees = storedSubtrees(reads, log, size);
    return {
      root: encodeBase64(rootOf(size, subtrees, nativeSha256)),
      leaf_hash: encodeBase64(subtrees(0, index)),
      hashes: inclusionProof(index, size, subtrees, nativeSha256).map(encodeBase64),
    };
  });
}

/** Builds the consistency proof between two sizes. 0 < `from` ≤ `to` ≤ size of the log. Throws 503 `log_damaged`. */
export function consistencyAtSizes(reads: LogReads, { log }: LogRow, from: number, to: number) {
  return undamaged(() => {
    const subtrees = storedSubtrees(reads, log, to);
    return {
      from_root: encodeBase64(rootOf(from, subtrees, nativeSha256)),
      to_root: encodeBase64(rootOf(to, subtrees, nativeSha256)),
      hashes: consistencyProof(from, to, subtrees, nativeSha256).map(encodeBase64),
    };
  });
}

function undamaged<T>(prove: () => T): T {
  try {
    return prove();
  } catch (error) {
    throw error instanceof RangeError ? damaged('a tile of the log is truncated', error) : error;
  }
}

/** Makes the 503 for a proof that a damaged log cannot give; the cause is logged. */
export function damaged(what: string, cause?: Error): PlatformError {
  const remedy = 'the operator must run `orb log fsck` to find the damage, then restore a backup';
  return new PlatformError(problems.log_damaged, `${what}; ${remedy}`, {}, { cause: cause ?? new Error(what) });
}

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
  };
}
