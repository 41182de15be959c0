import { statfsSync } from 'node:fs';

/** Returns how many bytes are free for this user in the file system of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
