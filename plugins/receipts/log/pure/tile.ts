import { hashBytes, hashNode, portableSha256, type Sha256 } from './hashing.ts';
import type { Subtrees } from './proof.ts';

// C2SP tlog-tiles.

/** Hashes of a full tile; entries of a full bundle. */
export const tileWidth = 256;
const tileHeight = 8;
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

/** Answers the hashes of a tile, 32 bytes each, concatenated. */
export type Tiles = (tile: Tile) => Uint8Array;

/**
 * Reads full subtrees of a tree of a size from its tiles; reads each tile once. Throws RangeError for a tile whose
 * number of hashes differs from its width.
 */
export function subtreesOf(tiles: Tiles, size: number, sha: Sha256 = portableSha256): Subtrees {
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

/** Describes how a tile, if there is one, differs in length from its width. */
export function wrongLength(hashes: Uint8Array | undefined, width: number): string {
  return `holds ${hashes?.length ?? 0} bytes instead of ${width * hashBytes}`;
}

/** Computes the root over concatenated hashes. Throws RangeError unless they are a power of two. */
export function fullRoot(hashes: Uint8Array, sha: Sha256 = portableSha256): Uint8Array {
  if (hashes.length === hashBytes) return hashes;
  const half = hashes.length / 2;
  if (half < hashBytes || half % hashBytes !== 0) throw new RangeError('the hashes are no power of two');
  return hashNode(fullRoot(hashes.subarray(0, half), sha), fullRoot(hashes.subarray(half), sha), sha);
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
