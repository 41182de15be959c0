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
  return descend(index + 1, size, (low, high) => high - low === 1, { subtrees, sha }).path.reverse();
}

/** Builds the consistency proof between two sizes (RFC 6962 §2.1.2). 0 < `from` ≤ `to`. */
export function consistencyProof(
  from: number,
  to: number,
  subtrees: Subtrees,
  sha: Sha256 = portableSha256,
): Uint8Array[] {
  if (from <= 0 || from > to) throw new RangeError(`there is no consistency proof from ${from} to ${to}`);
  const { high, low, path } = descend(from, to, (_, end) => end === from, { subtrees, sha });
  // From 0 on it is the whole older tree: the verifier has its root, so the proof omits it.
  if (low > 0) path.push(rangeRoot(low, high, subtrees, sha));
  return path.reverse();
}

type Ways = { readonly subtrees: Subtrees; readonly sha: Sha256 };

// Goes down from the root to the range that ends at `end`, and collects the roots next to the way.
function descend(end: number, size: number, isThere: (low: number, high: number) => boolean, { subtrees, sha }: Ways) {
  const path: Uint8Array[] = [];
  let [low, high] = [0, size];
  while (!isThere(low, high)) {
    const middle = low + split(high - low);
    path.push(end <= middle ? rangeRoot(middle, high, subtrees, sha) : rangeRoot(low, middle, subtrees, sha));
    if (end <= middle) high = middle;
    else low = middle;
  }
  return { path, low, high };
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
