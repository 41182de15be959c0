import { sha256 } from '@noble/hashes/sha2.js';

/** Computes SHA-256: 32 bytes. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

/** Computes SHA-256 without the crypto functions of the runtime. */
export const portableSha256: Sha256 = (data) => sha256(data);

/** Bytes of one hash. */
export const hashBytes = 32;

/** Root of the tree without leaves: SHA-256 of nothing. */
export const emptyRoot: Uint8Array = sha256(new Uint8Array());

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
