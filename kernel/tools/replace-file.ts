import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Replaces a file that everybody may read: whoever reads it finds the old one or the new one, whole and on the disk. */
export function replaceFileSync(path: string, content: string): void {
  const fresh = `${path}.new`;
  writeFileSync(fresh, content, { flush: true });
  // The mode of a new file is cut by the umask.
  chmodSync(fresh, 0o644);
  renameSync(fresh, path);
}

/** Replaces a file as `replaceFileSync` does, with the mode of any new file, and leaves nothing behind when it cannot. */
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
