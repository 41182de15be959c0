import { constants } from 'node:fs';
import { access, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { replaceFile } from '../../../kernel/index.ts';
import type { PolicyFile } from '../revisions/revision.ts';

/** Reports that the folder is read-only. */
export class FolderReadOnly extends Error {
  constructor(cause: unknown) {
    super('the policies folder is read-only', { cause });
    this.name = 'FolderReadOnly';
  }
}

/**
 * Changes a folder from `previous` to `next`: temp + fsync + rename per changed file; deletes removed policies; leaves
 * other files untouched. Restores the old files when a write fails. Throws FolderReadOnly before anything changes.
 */
export async function writeFolder(
  folder: string,
  previous: readonly PolicyFile[],
  next: readonly PolicyFile[],
): Promise<void> {
  await writable(folder);
  const before = new Map(previous.map(({ path, source }) => [path, source]));
  const after = new Map(next.map(({ path, source }) => [path, source]));
  try {
    await bring(folder, before, after);
  } catch (error) {
    await bring(folder, after, before).catch(() => undefined);
    throw error;
  }
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

async function bring(
  folder: string,
  from: ReadonlyMap<string, string>,
  to: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [path, source] of to) if (from.get(path) !== source) await writeOne(inside(folder, path), source);
  for (const path of from.keys()) if (!to.has(path)) await rm(inside(folder, path), { force: true });
}

function inside(folder: string, path: string): string {
  const full = resolve(folder, path);
  if (!full.startsWith(resolve(folder) + sep)) throw new Error(`${path} is outside the folder`);
  return full;
}

async function writeOne(path: string, source: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, source);
}
