import { sha256 } from '@noble/hashes/sha2.js';

/** Computes SHA-256: 32 bytes. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

/** Computes SHA-256 without the crypto functions of the runtime. */
export const portableSha256: Sha256 = (data) => sha256(data);

/** Bytes of one hash. */
export const hashBytes = 32;

// The marks let a bundle leave it out: clients hash with WebCrypto.
/** Root of the tree without leaves: SHA-256 of nothing. */
export const emptyRoot: Uint8Array = /* @__PURE__ */ sha256(/* @__PURE__ */ new Uint8Array());

/** Computes the hash of a leaf: SHA-256(0x00 ‖ entry) (RFC 6962 §2.1). */
export function hashLeaf(entry: Uint8Array, sha: Sha256 = portableSha256): Uint8Array {
  const data = new Uint8Array(1 + entry.length);
  data.set(entry, 1);
  return sha(data);
}

/** Computes the hash of an inner node: SHA-256(0x01 ‖ left ‖ right) (RFC 6962 §2.1). */
export function hashNode(left: Uint8Array, right: Uint8Array, sha: Sha256 = portableSha256): Uint8Array {
  node.set(left, 1);
  node.set(right, 1 + hashBytes);
  return sha(node);
}

// One shared buffer: a proof hashes a thousand nodes, and SHA-256 no longer needs its input when it returns.
const node = new Uint8Array(1 + 2 * hashBytes);
node[0] = 1;

/** Says whether two byte strings are the same. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/**
 * Answers the root of a full subtree: of the leaves `index`·2^`height` up to (`index` + 1)·2^`height`.
 * Called only for subtrees that are complete in the tree.
 */
export type Subtrees = (height: number, index: number) => Uint8Array;

// C2SP tlog-tiles.

/** Hashes of a full tile; entries of a full bundle. */
export const tileWidth = 256;
/** Levels of nodes in a full tile. */
export const tileHeight = 8;
const highestLevel = 63;

/** One tile: `width` hashes (1–256) of level `level`, starting at hash `n`·256. */
export interface Tile {
  readonly level: number;
  readonly n: number;
  readonly width: number;
}

/** Computes how many hashes a level has in a tree of a size. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level);
}

/** Computes the width of tile `n` of a level in a tree of a size; 0: it does not exist. */
export function widthAt(level: number, n: number, size: number): number {
  return Math.max(0, Math.min(tileWidth, hashesAt(level, size) - n * tileWidth));
}

/** Writes the path of a tile below the log: `tile/0/x001/067.p/112`. Entry bundles have the level `entries`. */
export function tilePath({ level, n, width }: Omit<Tile, 'level'> & { readonly level: number | 'entries' }): string {
  const groups =
    String(n)
      .padStart(Math.ceil(String(n).length / 3) * 3, '0')
      .match(/\d{3}/g) ?? [];
  const number = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${number}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** Reads the number of a tile and its width: `x001/067.p/112`. Undefined unless `tilePath` writes exactly this text. */
export function parseTileNumber(text: string): { readonly n: number; readonly width: number } | undefined {
  const match = /^((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(text);
  if (match === null || text.length > 40) return undefined;
  const [, above = '', last = '', partial] = match;
  const n = Number(above.replaceAll(/[x/]/g, '') + last);
  const width = partial === undefined ? tileWidth : Number(partial);
  if (!Number.isSafeInteger(n)) return undefined;
  // Each number has one spelling: no leading group of zeros.
  return tilePath({ level: 0, n, width }) === `tile/0/${text}` ? { n, width } : undefined;
}

/** Reads the level of a tile: a decimal 0–63 without leading zeros. */
export function parseTileLevel(text: string): number | undefined {
  return /^(0|[1-9]\d?)$/.test(text) && Number(text) <= highestLevel ? Number(text) : undefined;
}

/** Describes how a tile, if there is one, differs in length from its width. */
export function wrongLength(hashes: Uint8Array | undefined, width: number): string {
  return `holds ${hashes?.length ?? 0} bytes instead of ${width * hashBytes}`;
}

const longestEntry = 65_535;

/** Builds a bundle from entries: each entry is preceded by its length (uint16, big-endian). */
export function bundleOf(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > longestEntry) throw new RangeError(`an entry has ${entry.length} bytes; a bundle holds 65535`);
    bundle[at] = entry.length >> 8;
    bundle[at + 1] = entry.length & 0xff;
    bundle.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bundle;
}

/** Reads the entries of a bundle; undefined when it is truncated. */
export function entriesOf(bundle: Uint8Array): Uint8Array[] | undefined {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bundle.length) {
    const [high, low] = [bundle[at], bundle[at + 1]];
    if (high === undefined || low === undefined) return undefined;
    const end = at + 2 + (high << 8) + low;
    if (end > bundle.length) return undefined;
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return entries;
}

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
