import { equalBytes, hashBytes, hashNode, type Sha256 } from './tree.ts';

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
  let hash = leaf;
  const isWhole = climb(index, size - 1n, hashes, (sibling, isLeft) => {
    hash = isLeft ? hashNode(sibling, hash, sha) : hashNode(hash, sibling, sha);
  });
  return isWhole && equalBytes(hash, root);
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
  let [older, newer] = [first, first];
  const isWhole = climb(node, last, rest, (hash, isLeft) => {
    if (isLeft) older = hashNode(hash, older);
    newer = isLeft ? hashNode(hash, newer) : hashNode(newer, hash);
  });
  return isWhole && equalBytes(older, fromRoot) && equalBytes(newer, toRoot);
}

/** Goes up from a node of a level whose last node is `last`, past each sibling; says whether the path ends at the root. */
export function climb(
  node: bigint,
  last: bigint,
  siblings: readonly Uint8Array[],
  join: (sibling: Uint8Array, isLeft: boolean) => void,
): boolean {
  let [at, end] = [node, last];
  for (const sibling of siblings) {
    if (end === 0n) return false;
    const isLeft = at % 2n === 1n || at === end;
    join(sibling, isLeft);
    // Up to the level where the node has a left sibling: it is the last of each level between.
    while (isLeft && at % 2n === 0n && at !== 0n) [at, end] = [at >> 1n, end >> 1n];
    [at, end] = [at >> 1n, end >> 1n];
  }
  return end === 0n;
}

function areHashes(hashes: readonly Uint8Array[]): boolean {
  return hashes.every(({ length }) => length === hashBytes);
}
