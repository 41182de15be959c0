import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { tarHeader } from '../../receipts/contract.ts';
import type { Packing } from '../binary/compression.ts';

/** An entry of an archive. Without `mode` a file has 0644, and a folder 0755; without `owner` it belongs to the user 0. */
export interface Entry {
  /** Relative, with slashes; a folder ends with one. */
  readonly path: string;
  readonly content?: Uint8Array | string;
  /** Where a symbolic link leads. */
  readonly link?: string;
  readonly mode?: number;
  /** Number of its user and group. */
  readonly owner?: number;
}

const block = 512;

/** Writes a tar archive: the same entries always give the same bytes, in whatever order they are given. */
export function tarball(entries: readonly Entry[], epoch: number): Buffer {
  const sorted = [...entries].sort((one, other) => (one.path < other.path ? -1 : 1));
  const twice = sorted.find(({ path }, index) => sorted[index + 1]?.path === path);
  if (twice !== undefined) throw new Error(`the archive has two entries ${twice.path}`);
  const parts = sorted.flatMap((entry) => {
    const bytes = Buffer.from(entry.content ?? '');
    return [headerOf(entry, bytes.length, epoch), bytes, Buffer.alloc((block - (bytes.length % block)) % block)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

// POSIX.1-2017 pax, ustar interchange format.
function headerOf({ link, mode, owner = 0, path }: Entry, size: number, epoch: number): Buffer {
  const [folder, name] = divided(path);
  const head = Buffer.from(tarHeader(name, size, epoch));
  const type = link !== undefined ? '2' : path.endsWith('/') ? '5' : '0';
  const digits = (value: number): string => value.toString(8).padStart(7, '0');
  for (const [at, text] of [
    [100, digits(mode ?? { '0': 0o644, '2': 0o777, '5': 0o755 }[type])],
    [108, digits(owner)],
    [116, digits(owner)],
    [148, ' '.repeat(8)],
    [156, type],
    [157, link ?? ''],
    [345, folder],
  ] as const)
    head.write(text, at);
  if (Buffer.byteLength(link ?? '') > 100) throw new RangeError(`the link of ${path} is too long for an archive`);
  const checksum = head.reduce((sum, byte) => sum + byte, 0);
  head.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

/** Divides a path at a slash, so that each part has room in a header. */
function divided(path: string): readonly [folder: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let at = path.indexOf('/'); at > 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const [folder, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(folder) <= 155 && Buffer.byteLength(name) <= 100) return [folder, name];
  }
  throw new RangeError(`the path ${path} is too long for an archive`);
}

/** The level of gzip that packs so. */
export const gzipLevels: Readonly<Record<Packing, number>> = { smallest: 9, quick: 1 };

/** Compresses an archive: the head names no time and no system. */
export function gzipped(bytes: Uint8Array, packing: Packing = 'smallest'): Buffer {
  const packed = gzipSync(bytes, { level: gzipLevels[packing] });
  packed[9] = 255;
  return packed;
}

/** Compresses an archive with a window that holds all of it. */
export function zstandard(bytes: Uint8Array): Buffer {
  const { ZSTD_c_compressionLevel, ZSTD_c_enableLongDistanceMatching, ZSTD_c_windowLog } = constants;
  // `zstd -d` and tar accept windows of up to 2^27 bytes without an option.
  const params = { [ZSTD_c_compressionLevel]: 19, [ZSTD_c_windowLog]: 27, [ZSTD_c_enableLongDistanceMatching]: 1 };
  return zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length });
}
