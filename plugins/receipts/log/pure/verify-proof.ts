import { equalBytes, hashBytes, hashNode, type Sha256 } from './hashing.ts';

/** The claim that a leaf is the `index`-th of the tree with this root. Sizes and indexes: unsigned 64-bit integers. */
export interface InclusionClaim {
  readonly index: bigint;
  readonly size: bigint;
  /** Hash of the leaf. */
  readonly leaf: Uint8Array;
  /** From the leaf's sibling up to the root's child. */
  readonly hashes: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** Verifies an inclusion proof (RFC 9162 §2.1.3.2). */
export function verifyInclusion({ index, size, leaf, hashes, root }: InclusionClaim, sha?: Sha256): boolean {
  if (index < 0n || index >= size || !areHashes([leaf, root, ...hashes])) return false;
  let node = index;
  let last = size - 1n;
  let hash = leaf;
  for (const sibling of hashes) {
    if (last === 0n) return false;
    if (node % 2n === 1n || node === last) {
      hash = hashNode(sibling, hash, sha);
      while (node % 2n === 0n && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else hash = hashNode(hash, sibling, sha);
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n && equalBytes(hash, root);
}

/** The claim that the tree of size `to` begins with all leaves of the tree of size `from`. */
export interface ConsistencyClaim {
  readonly from: bigint;
  readonly to: bigint;
  readonly fromRoot: Uint8Array;
  readonly toRoot: Uint8Array;
  readonly hashes: readonly Uint8Array[];
}

/** Verifies a consistency proof (RFC 9162 §2.1.4.2). Nothing can be proved from the empty tree: that always fails. */
export function verifyConsistency({ from, to, fromRoot, toRoot, hashes }: ConsistencyClaim): boolean {
  if (from <= 0n || from > to || !areHashes([fromRoot, toRoot, ...hashes])) return false;
  if (from === to) return hashes.length === 0 && equalBytes(fromRoot, toRoot);
  if (hashes.length === 0) return false;
  // A tree whose size is a power of two is a node of the larger tree; the proof omits it.
  const path = (from & (from - 1n)) === 0n ? [fromRoot, ...hashes] : hashes;
  let node = from - 1n;
  let last = to - 1n;
  while (node % 2n === 1n) {
    node >>= 1n;
    last >>= 1n;
  }
  const [first = fromRoot, ...rest] = path;
  let older = first;
  let newer = first;
  for (const hash of rest) {
    if (last === 0n) return false;
    if (node % 2n === 1n || node === last) {
      older = hashNode(hash, older);
      newer = hashNode(hash, newer);
      while (node % 2n === 0n && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else newer = hashNode(newer, hash);
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n && equalBytes(older, fromRoot) && equalBytes(newer, toRoot);
}

function areHashes(hashes: readonly Uint8Array[]): boolean {
  return hashes.every(({ length }) => length === hashBytes);
}
