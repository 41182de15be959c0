import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The room that a file of the state dir takes, or a folder with all that is in it. */
export interface FileSize {
  readonly name: string;
  /** How many files. */
  readonly files: number;
  readonly bytes: number;
}

/** Measures what lies in a folder, the largest first. What goes away in the meantime does not count. */
export function filesIn(folder: string): readonly FileSize[] {
  return namesIn(folder)
    .map((name) => ({ name, ...sizeOf(join(folder, name)) }))
    .sort((one, other) => other.bytes - one.bytes);
}

function sizeOf(path: string): Pick<FileSize, 'files' | 'bytes'> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { files: 0, bytes: 0 };
  if (!found.isDirectory()) return { files: 1, bytes: found.size };
  let [files, bytes] = [0, 0];
  for (const name of namesIn(path)) {
    const within = sizeOf(join(path, name));
    files += within.files;
    bytes += within.bytes;
  }
  return { files, bytes };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
