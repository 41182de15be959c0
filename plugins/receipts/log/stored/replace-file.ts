import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';

/** Replaces a file that everybody may read, so that at any moment it is whole: the old one or the new one. */
export function replaceFile(path: string, content: string): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', 0o644);
  try {
    // The mode of openSync is cut by the umask.
    fchmodSync(file, 0o644);
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
