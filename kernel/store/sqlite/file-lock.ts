import { rmSync } from 'node:fs';
import Driver from 'better-sqlite3';

/** A file that this process has locked. */
export interface FileLock {
  /** Removes the file and ends the lock. */
  release(): void;
}

const attempts = 5;
// An unreferenced database is closed, which releases the lock.
const locked = new Set<Driver.Database>();

/**
 * Locks a file of its own, by an exclusive transaction on an empty database: the operating system holds that lock for the
 * life of the process, whatever the number of the process is elsewhere. Undefined: another process holds it. Where the
 * file system has no locks, nothing is locked.
 */
export function lockFile(path: string): FileLock | undefined {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const held = begin(path, { create: true });
    if (held === 'busy') return undefined;
    if (held === 'none') return { release: () => undefined };
    // The previous owner removed the file when it released the lock: a lock on a deleted file protects nothing.
    const other = begin(path, { create: false });
    if (other === 'busy') {
      locked.add(held);
      return { release: () => release(path, held) };
    }
    if (other !== 'none') other.close();
    held.close();
  }
  return undefined;
}

// First the file, so that no process locks it between the two.
function release(path: string, held: Driver.Database): void {
  if (!locked.delete(held)) return;
  rmSync(path, { force: true });
  held.close();
}

function begin(path: string, { create }: { readonly create: boolean }): Driver.Database | 'busy' | 'none' {
  let driver: Driver.Database | undefined;
  try {
    driver = new Driver(path, { timeout: 0, fileMustExist: !create });
    // SQLite makes no second file.
    driver.pragma('journal_mode = MEMORY');
    driver.exec('BEGIN EXCLUSIVE');
    return driver;
  } catch (error) {
    driver?.close();
    const { code = '' } = error as { readonly code?: string };
    if (code.startsWith('SQLITE_BUSY')) return 'busy';
    if (!create || code.startsWith('SQLITE_IOERR')) return 'none';
    throw error;
  }
}
