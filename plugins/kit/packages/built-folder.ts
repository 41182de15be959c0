import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The files that something is built from. */
export interface Sources {
  /** Files and folders, from the root of the checkout. */
  readonly from: readonly string[];
  /** Says whether a file below a folder counts; all do without it. */
  readonly includes?: (path: string) => boolean;
}

/** A folder that is built from sources. */
export interface BuiltFolder extends Sources {
  /** The folder of the checkout. */
  readonly root: string;
  /** The built folder, from the root. */
  readonly target: string;
  /** Writes its files into a new folder. */
  readonly write: (folder: string) => Promise<void>;
}

const stamp = 'sources.sha256';

/** Builds a folder, unless its sources are those of the last build. */
export async function buildFolder({ root, target, write, ...sources }: BuiltFolder): Promise<void> {
  const digest = sourcesDigest(root, sources);
  const folder = join(root, target);
  if (isBuilt(folder, digest)) return;
  // In a folder next to the last build, which stays until the new one is complete.
  const temporary = `${folder}-${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  try {
    await write(temporary);
    writeFileSync(join(temporary, stamp), digest);
    replace(folder, temporary, digest);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function isBuilt(folder: string, digest: string): boolean {
  const file = join(folder, stamp);
  return existsSync(file) && readFileSync(file, 'utf8') === digest;
}

/** Moves a build to its place, unless another process has built the same meanwhile. */
function replace(folder: string, built: string, digest: string): void {
  try {
    if (isBuilt(folder, digest)) return;
    rmSync(folder, { recursive: true, force: true });
    renameSync(built, folder);
  } catch (error) {
    if (!isBuilt(folder, digest)) throw error;
  }
}

/** Computes the SHA-256 of sources, with their paths: 64 hex digits. */
export function sourcesDigest(root: string, { from, includes = () => true }: Sources): string {
  const hash = createHash('sha256');
  for (const path of from.flatMap((source) =>
    filesOf(root, source).filter((file) => file === source || includes(file)),
  )) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesOf(root: string, source: string): readonly string[] {
  if (!statSync(join(root, source)).isDirectory()) return [source];
  return readdirSync(join(root, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
