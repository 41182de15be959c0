import { constants } from 'node:fs';
import { access, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { replaceFile } from '../../../kernel/index.ts';
import type { PolicyFile } from '../shapes.ts';

/** Reports that the folder is read-only. */
export class FolderReadOnly extends Error {
  constructor(cause: unknown) {
    super('the policies folder is read-only', { cause });
    this.name = 'FolderReadOnly';
  }
}

/**
 * Changes a folder from `previous` to `next`: temp + fsync + rename per changed file; deletes removed policies; leaves
 * other files untouched. A folder that is not there appears whole. Restores the old files when a write fails; what cannot
 * be restored is in an AggregateError. Throws FolderReadOnly before anything changes.
 */
export async function writeFolder(
  folder: string,
  previous: readonly PolicyFile[],
  next: readonly PolicyFile[],
): Promise<void> {
  if (!(await isThere(folder))) return makeFolder(folder, next);
  await writable(folder);
  const before = new Map(previous.map(({ path, source }) => [path, source]));
  const after = new Map(next.map(({ path, source }) => [path, source]));
  const done: string[] = [];
  try {
    for (const path of new Set([...after.keys(), ...before.keys()])) {
      if (before.get(path) === after.get(path)) continue;
      await changeOne(inside(folder, path), after.get(path));
      done.push(path);
    }
  } catch (error) {
    const faults: unknown[] = [];
    for (const path of done)
      await changeOne(inside(folder, path), before.get(path)).catch((fault: unknown) => faults.push(fault));
    throw faults.length === 0 ? error : new AggregateError([error, ...faults], partly);
  }
}

const partly = 'the policies folder was only partly changed and could not be restored; check its files';

// An existing folder is served, also an empty one, which denies everything. So the new folder is completed next to its
// place, and then moved there as a whole.
async function makeFolder(folder: string, files: readonly PolicyFile[]): Promise<void> {
  const fresh = `${folder}.${process.pid}.new`;
  try {
    await rm(fresh, { recursive: true, force: true });
    await writable(fresh);
    for (const { path, source } of files) await changeOne(inside(fresh, path), source);
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
  const parent = await open(dirname(folder));
  // Not every file system can sync a folder.
  await parent.sync().catch(() => undefined);
  await parent.close();
}

/** Deletes files from a folder; deletes a link but not its target. */
export async function clearFolder(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(inside(folder, path), { force: true });
}

/** Says whether a folder takes writes; makes it where there is none. */
export async function isWritable(folder: string): Promise<boolean> {
  return writable(folder).then(
    () => true,
    () => false,
  );
}

async function writable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    // For root, access() succeeds on a read-only mount: only a real write fails.
    const probe = join(folder, `.probe-${process.pid}`);
    await (await open(probe, 'w')).close();
    await rm(probe);
  } catch (error) {
    throw new FolderReadOnly(error);
  }
}

/** Says whether anything is at a path, even a link to nothing. */
export function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function inside(folder: string, path: string): string {
  const full = resolve(folder, path);
  if (!full.startsWith(resolve(folder) + sep)) throw new Error(`${path} is outside the folder`);
  return full;
}

async function changeOne(path: string, source: string | undefined): Promise<void> {
  if (source === undefined) return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, source);
}
