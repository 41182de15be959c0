import { join } from 'node:path';

// The file of a store, for commands that copy it or write it again as a whole.
interface StoreFile {
  readonly path: string;
  /** Where `compact` writes it before it takes the place of the old one. */
  readonly freshPath: string;
  /** Copies the committed state, at one moment, into a new file; no writer waits. */
  copy(target: string): void;
  /** Writes it again without free pages. Throws ConfigError while another process has it open, and changes nothing. */
  compact(): void;
}

/** Finds the file of the store in a state dir, which need not exist. The driver is loaded at the first use. */
export async function storeFileOf(stateDir: string): Promise<StoreFile> {
  const { compactDatabase, copyDatabase, freshPath, storeFile } = await import('./database.ts');
  const path = join(stateDir, storeFile);
  return {
    path,
    freshPath: freshPath(path),
    copy: (target) => copyDatabase(path, target),
    compact: () => compactDatabase(path),
  };
}
