import {
  emptyRoot,
  hashBytes,
  hashNode,
  tileHeight,
  tilePath,
  tileWidth,
  widthAt,
  wrongLength,
  type Sha256,
  type Subtrees,
  type Tile,
} from './tree.ts';

/** Computes the root of the first `size` leaves. */
export function rootOf(size: number, subtrees: Subtrees, sha?: Sha256): Uint8Array {
  return size === 0 ? emptyRoot : rangeRoot(0, size, subtrees, sha);
}

/** Builds the inclusion proof of a leaf (RFC 6962 §2.1.1), from its sibling upwards. `index` < `size`. */
export function inclusionProof(index: number, size: number, subtrees: Subtrees, sha?: Sha256): Uint8Array[] {
  if (index < 0 || index >= size) throw new RangeError(`there is no leaf ${index} in a tree of ${size}`);
  const range = { end: index + 1, size, subtrees, sha };
  return descend(range, (low, high) => high - low === 1).path.reverse();
}

/** Builds the consistency proof between two sizes (RFC 6962 §2.1.2). 0 < `from` ≤ `to`. */
export function consistencyProof(from: number, to: number, subtrees: Subtrees, sha?: Sha256): Uint8Array[] {
  if (from <= 0 || from > to) throw new RangeError(`there is no consistency proof from ${from} to ${to}`);
  const { high, low, path } = descend({ end: from, size: to, subtrees, sha }, (_, end) => end === from);
  // From 0 on it is the whole older tree: the verifier has its root, so the proof omits it.
  if (low > 0) path.push(rangeRoot(low, high, subtrees, sha));
  return path.reverse();
}

interface Descent {
  readonly end: number;
  readonly size: number;
  readonly subtrees: Subtrees;
  readonly sha: Sha256 | undefined;
}

// Goes down from the root to the range that ends at `end`, and collects the roots next to the way.
function descend({ end, size, subtrees, sha }: Descent, isThere: (low: number, high: number) => boolean) {
  const path: Uint8Array[] = [];
  let [low, high] = [0, size];
  while (!isThere(low, high)) {
    // The largest power of two strictly smaller than the size.
    const middle = low + 2 ** heightOf(high - low - 1);
    path.push(end <= middle ? rangeRoot(middle, high, subtrees, sha) : rangeRoot(low, middle, subtrees, sha));
    if (end <= middle) high = middle;
    else low = middle;
  }
  return { path, low, high };
}

// `low` is a multiple of the largest power of two within the range, because ranges result from splitting there.
function rangeRoot(low: number, high: number, subtrees: Subtrees, sha?: Sha256): Uint8Array {
  const height = heightOf(high - low);
  const full = 2 ** height;
  const left = subtrees(height, low / full);
  return low + full === high ? left : hashNode(left, rangeRoot(low + full, high, subtrees, sha), sha);
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
export function subtreesOf(tiles: Tiles, size: number, sha?: Sha256): Subtrees {
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
    return fullRoot(part, sha);
  };
}

function whole(tiles: Tiles, tile: Tile): Uint8Array {
  const hashes = tiles(tile);
  if (hashes.length === tile.width * hashBytes) return hashes;
  throw new RangeError(`${tilePath(tile)} ${wrongLength(hashes, tile.width)}`);
}

/** Computes the root over concatenated hashes. Throws RangeError unless they are a power of two. */
export function fullRoot(hashes: Uint8Array, sha?: Sha256): Uint8Array {
  if (hashes.length === hashBytes) return hashes;
  const half = hashes.length / 2;
  if (half < hashBytes || half % hashBytes !== 0) throw new RangeError('the hashes are no power of two');
  return hashNode(fullRoot(hashes.subarray(0, half), sha), fullRoot(hashes.subarray(half), sha), sha);
}
