import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

// One file of the package inside the executable.
interface PackedFile {
  /** Below the package's folder, with slashes. */
  readonly path: string;
  /** Of the file as it is on disk, 64 hex digits. */
  readonly sha256: string;
  /** The place of its bytes in the archive, in Brotli's format (RFC 7932); absent: the executable holds it as it is. */
  readonly place?: readonly [from: number, to: number];
}

/** The folder that replaces the package folder: it is in the state dir, named by the digest of its content. */
export interface Unpacked {
  url(path: string): string;
  /** Says whether every file is there and unchanged. */
  isWhole(): boolean;
  /** Writes what is missing or was changed; does it once. */
  ensure(): void;
  load(name: string): unknown;
}

/** Finds the folder for this executable's files under a state dir; nothing is written yet. */
export function unpackedUnder(stateDir: string): Unpacked {
  const list = getAsset('files.json', 'utf8');
  const dir = join(stateDir, 'cache', `orb-${sha256(list).slice(0, 16)}`);
  const files = JSON.parse(list) as readonly PackedFile[];
  let done = false;
  return {
    url: (path) => pathToFileURL(join(dir, path)).href,
    isWhole: () => (done ||= files.every((file) => lies(dir, file))),
    ensure() {
      if (done) return;
      refuseOdd(stateDir);
      const archive = openedOnce();
      for (const file of files) unpack(dir, file, archive);
      done = true;
    },
    load(name) {
      this.ensure();
      return createRequire(join(dir, 'package.js'))(name) as unknown;
    },
  };
}

// Making a folder below /proc never ends.
function refuseOdd(stateDir: string): void {
  if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(resolve(stateDir)))
    throw new Error(`ORB_STATE_DIR: ${stateDir} cannot hold files; name a folder of a disk`);
}

function lies(dir: string, { path, sha256: expected }: PackedFile): boolean {
  try {
    return sha256(readFileSync(join(dir, path))) === expected;
  } catch {
    // The file does not exist or belongs to another user; both count as absent.
    return false;
  }
}

function unpack(dir: string, file: PackedFile, archive: () => Uint8Array | undefined): void {
  if (lies(dir, file)) return;
  const { path, place, sha256: expected } = file;
  const target = join(dir, path);
  const bytes = place === undefined ? new Uint8Array(getRawAsset(path)) : archive()?.subarray(...place);
  if (bytes === undefined || sha256(bytes) !== expected)
    throw new Error(`${path} inside this executable is damaged; download it again`);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, bytes, { mode: 0o600 });
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

// Files have much in common, so they are compressed as one; it is read when the first of them is missing.
function openedOnce(): () => Uint8Array | undefined {
  let archive: Uint8Array | undefined;
  return () => {
    try {
      return (archive ??= brotliDecompressSync(new Uint8Array(getRawAsset('files.br'))));
    } catch {
      // It is not in the format that it was packed in.
      return undefined;
    }
  };
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
