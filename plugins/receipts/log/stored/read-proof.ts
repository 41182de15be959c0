import { PlatformError } from '../../../../kernel/index.ts';
import { encodeBase64 } from '../../format/base64.ts';
import type { LogProofDocument } from '../../contract.ts';
import { readCheckpoint } from '../pure/checkpoint.ts';
import { consistencyProof, inclusionProof, rootOf, type Subtrees } from '../pure/proof.ts';
import { subtreesOf } from '../pure/tile.ts';
import type { LogReads, LogRow, StoredCheckpoint } from './tables.ts';
import { nativeSha256 } from '../pure/native-sha.ts';
import { problems } from '../../problems.ts';

/** Reads the full subtrees of a log, at a size, from its stored tiles and entries. */
export function storedSubtrees(reads: LogReads, log: number, size: number): Subtrees {
  return subtreesOf((tile) => reads.tile(log, tile), size, nativeSha256);
}

/** Computes the root of a stored log at a size; empty, which no signed root is, when a tile lacks hashes. */
export function storedRoot(reads: LogReads, log: number, size: number): Uint8Array {
  try {
    return rootOf(size, storedSubtrees(reads, log, size), nativeSha256);
  } catch (error) {
    if (error instanceof RangeError) return new Uint8Array();
    throw error;
  }
}

/** Proves entries of one log by their index; undefined when the store yields no proof. The caller verifies it. */
export type Prove = (index: number) => LogProofDocument | undefined;

/** Makes a Prove under a checkpoint of a log, by default the newest; reads and hashes shared parts of proofs once. */
export function proverOf(
  log: number,
  reads: LogReads,
  newest: StoredCheckpoint | undefined = reads.newestCheckpoint(log),
): Prove {
  const checkpoint = readCheckpoint(newest?.note)?.checkpoint;
  if (newest === undefined || checkpoint === undefined) return () => undefined;
  const { size } = newest;
  const subtrees = memoized(storedSubtrees(reads, log, size));
  return (index) => {
    const [leaf] = reads.entries(log, index, 1);
    const hashes = leaf === undefined || index >= size ? undefined : inclusionAt(subtrees, index, size);
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

function inclusionAt(subtrees: Subtrees, index: number, size: number): Uint8Array[] | undefined {
  try {
    return inclusionProof(index, size, subtrees, nativeSha256);
  } catch (error) {
    // A damaged tile yields no proof; the receipt is then shown as unproved.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
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
