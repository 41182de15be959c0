import { PlatformError } from '../../../../kernel/index.ts';
import { encodeBase64 } from '../../format/base64.ts';
import type { LogProofDocument } from '../../contract.ts';
import { readCheckpoint } from '../pure/note.ts';
import {
  emptyRoot,
  hashBytes,
  hashNode,
  tileHeight,
  tilePath,
  tileWidth,
  widthAt,
  wrongLength,
  type Subtrees,
  type Tile,
} from '../pure/tree.ts';
import { type LogReads, type LogRow, type StoredCheckpoint, nativeSha256 } from './tables.ts';
import { problems } from '../../problems.ts';
import { ownShard, type Owner } from './own-shard.ts';
import type { PublicKey } from '../../format/jwk.ts';
import type { StoredReceipt } from '../rows/stored-receipt.ts';

/** Computes the root of the first `size` leaves. */
export function rootOf(size: number, subtrees: Subtrees): Uint8Array {
  return size === 0 ? emptyRoot : rangeRoot(0, size, subtrees);
}

/** Builds the inclusion proof of a leaf (RFC 6962 §2.1.1), from its sibling upwards. `index` < `size`. */
export function inclusionProof(index: number, size: number, subtrees: Subtrees): Uint8Array[] {
  if (index < 0 || index >= size) throw new RangeError(`there is no leaf ${index} in a tree of ${size}`);
  return descend(index + 1, size, (low, high) => high - low === 1, subtrees).path.reverse();
}

/** Builds the consistency proof between two sizes (RFC 6962 §2.1.2). 0 < `from` ≤ `to`. */
export function consistencyProof(from: number, to: number, subtrees: Subtrees): Uint8Array[] {
  if (from <= 0 || from > to) throw new RangeError(`there is no consistency proof from ${from} to ${to}`);
  const { high, low, path } = descend(from, to, (_, end) => end === from, subtrees);
  // From 0 on it is the whole older tree: the verifier has its root, so the proof omits it.
  if (low > 0) path.push(rangeRoot(low, high, subtrees));
  return path.reverse();
}

// Goes down from the root to the range that ends at `end`, and collects the roots next to the way.
function descend(end: number, size: number, isThere: (low: number, high: number) => boolean, subtrees: Subtrees) {
  const path: Uint8Array[] = [];
  let [low, high] = [0, size];
  while (!isThere(low, high)) {
    // The largest power of two strictly smaller than the size.
    const middle = low + 2 ** heightOf(high - low - 1);
    path.push(end <= middle ? rangeRoot(middle, high, subtrees) : rangeRoot(low, middle, subtrees));
    if (end <= middle) high = middle;
    else low = middle;
  }
  return { path, low, high };
}

// `low` is a multiple of the largest power of two within the range, because ranges result from splitting there.
function rangeRoot(low: number, high: number, subtrees: Subtrees): Uint8Array {
  const height = heightOf(high - low);
  const full = 2 ** height;
  const left = subtrees(height, low / full);
  return low + full === high ? left : hashNode(left, rangeRoot(low + full, high, subtrees), nativeSha256);
}

/** Finds the height of the largest full tree that fits in a size above 0. */
function heightOf(size: number): number {
  return size < 2 ** 31 ? 31 - Math.clz32(size) : 31 + heightOf(Math.floor(size / 2 ** 31));
}

/** Answers the hashes of a tile, 32 bytes each, concatenated. */
type Tiles = (tile: Tile) => Uint8Array;

/**
 * Reads full subtrees of a tree of a size from its tiles; reads each tile once. Throws RangeError for a tile whose
 * number of hashes differs from its width.
 */
export function subtreesOf(tiles: Tiles, size: number): Subtrees {
  const read = new Map<string, Uint8Array>();
  return (height, index) => {
    const level = Math.floor(height / tileHeight);
    const count = 2 ** (height % tileHeight);
    const first = index * count;
    const n = Math.floor(first / tileWidth);
    const key = `${level}/${n}`;
    const hashes = read.get(key) ?? whole(tiles, { level, n, width: widthAt(level, n, size) });
    read.set(key, hashes);
    const start = (first % tileWidth) * hashBytes;
    const part = hashes.subarray(start, start + count * hashBytes);
    if (part.length !== count * hashBytes) throw new RangeError(`${key} has no subtree of ${count} hashes there`);
    return fullRoot(part);
  };
}

function whole(tiles: Tiles, tile: Tile): Uint8Array {
  const hashes = tiles(tile);
  if (hashes.length === tile.width * hashBytes) return hashes;
  throw new RangeError(`${tilePath(tile)} ${wrongLength(hashes, tile.width)}`);
}

/** Computes the root over concatenated hashes. Throws RangeError unless they are a power of two. */
export function fullRoot(hashes: Uint8Array): Uint8Array {
  if (hashes.length === hashBytes) return hashes;
  const half = hashes.length / 2;
  if (half < hashBytes || half % hashBytes !== 0) throw new RangeError('the hashes are no power of two');
  return hashNode(fullRoot(hashes.subarray(0, half)), fullRoot(hashes.subarray(half)), nativeSha256);
}

/** Reads the full subtrees of a log, at a size, from its stored tiles and entries. */
export function storedSubtrees(reads: LogReads, log: number, size: number): Subtrees {
  return subtreesOf((tile) => reads.tile(log, tile), size);
}

/** Computes the root of a stored log at a size; empty, which no signed root is, when a tile lacks hashes. */
export function storedRoot(reads: LogReads, log: number, size: number): Uint8Array {
  return ifWhole(() => rootOf(size, storedSubtrees(reads, log, size))) ?? new Uint8Array();
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
    const hashes = index < size ? ifWhole(() => inclusionProof(index, size, subtrees)) : undefined;
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
      root: encodeBase64(rootOf(size, subtrees)),
      leaf_hash: encodeBase64(subtrees(0, index)),
      hashes: inclusionProof(index, size, subtrees).map(encodeBase64),
    };
  });
}

/** Builds the consistency proof between two sizes. 0 < `from` ≤ `to` ≤ size of the log. Throws 503 `log_damaged`. */
export function consistencyAtSizes(reads: LogReads, { log }: LogRow, from: number, to: number) {
  return undamaged(() => {
    const subtrees = storedSubtrees(reads, log, to);
    return {
      from_root: encodeBase64(rootOf(from, subtrees)),
      to_root: encodeBase64(rootOf(to, subtrees)),
      hashes: consistencyProof(from, to, subtrees).map(encodeBase64),
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
