import { chmodSync, closeSync, fsyncSync, openSync, renameSync, writeFileSync, statfsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Replaces a file that everybody may read: a reader finds either the old or the new content, whole and on the disk. */
export function replaceFileSync(path: string, content: string): void {
  const fresh = `${path}.new`;
  writeFileSync(fresh, content, { flush: true });
  // The umask limits the mode of a new file.
  chmodSync(fresh, 0o644);
  renameSync(fresh, path);
}

/** Replaces a file as `replaceFileSync` does, with the mode of any new file; removes its temporary file on failure. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const fresh = `${path}.new`;
  try {
    await writeFile(fresh, content, { flush: true });
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Brings the content of a file to the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Brings the entries of a folder to the disk, where the system can: only POSIX systems can sync a folder. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Returns how many bytes are free for this user in the file system of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
