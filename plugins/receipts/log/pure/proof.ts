import { emptyRoot, hashNode, portableSha256, type Sha256 } from './hashing.ts';

/**
 * Answers the root of a full subtree: of the leaves `index`·2^`height` up to (`index` + 1)·2^`height`.
 * Called only for subtrees that are complete in the tree.
 */
export type Subtrees = (height: number, index: number) => Uint8Array;

/** Computes the root of the first `size` leaves. */
export function rootOf(size: number, subtrees: Subtrees, sha: Sha256 = portableSha256): Uint8Array {
  return size === 0 ? emptyRoot : rangeRoot(0, size, subtrees, sha);
}

/** Builds the inclusion proof of a leaf (RFC 6962 §2.1.1), from its sibling upwards. `index` < `size`. */
export function inclusionProof(
  index: number,
  size: number,
  subtrees: Subtrees,
  sha: Sha256 = portableSha256,
): Uint8Array[] {
  if (index < 0 || index >= size) throw new RangeError(`there is no leaf ${index} in a tree of ${size}`);
  const path: Uint8Array[] = [];
  let low = 0;
  let high = size;
  while (high - low > 1) {
    const middle = low + split(high - low);
    if (index < middle) {
      path.push(rangeRoot(middle, high, subtrees, sha));
      high = middle;
    } else {
      path.push(rangeRoot(low, middle, subtrees, sha));
      low = middle;
    }
  }
  return path.reverse();
}

/** Builds the consistency proof between two sizes (RFC 6962 §2.1.2). 0 < `from` ≤ `to`. */
export function consistencyProof(
  from: number,
  to: number,
  subtrees: Subtrees,
  sha: Sha256 = portableSha256,
): Uint8Array[] {
  if (from <= 0 || from > to) throw new RangeError(`there is no consistency proof from ${from} to ${to}`);
  const path: Uint8Array[] = [];
  let low = 0;
  let high = to;
  // Whether the remaining part is the whole older tree: the verifier has its root, so the proof omits it.
  let whole = true;
  while (from !== high) {
    const middle = low + split(high - low);
    if (from <= middle) {
      path.push(rangeRoot(middle, high, subtrees, sha));
      high = middle;
    } else {
      path.push(rangeRoot(low, middle, subtrees, sha));
      low = middle;
      whole = false;
    }
  }
  if (!whole) path.push(rangeRoot(low, high, subtrees, sha));
  return path.reverse();
}

// `low` is a multiple of the largest power of two within the range, because ranges result from splitting there.
function rangeRoot(low: number, high: number, subtrees: Subtrees, sha: Sha256): Uint8Array {
  const height = heightOf(high - low);
  const full = 2 ** height;
  const left = subtrees(height, low / full);
  return low + full === high ? left : hashNode(left, rangeRoot(low + full, high, subtrees, sha), sha);
}

/** Finds the largest power of two strictly smaller than a size above 1. */
function split(size: number): number {
  return 2 ** heightOf(size - 1);
}

/** Finds the height of the largest full tree that fits in a size above 0. */
function heightOf(size: number): number {
  return size < 2 ** 31 ? 31 - Math.clz32(size) : 31 + heightOf(Math.floor(size / 2 ** 31));
}
