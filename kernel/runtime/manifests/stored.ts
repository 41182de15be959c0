import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../error.ts';
import { viewStore } from '../../store/read-only.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { manifestConflicts } from './open.ts';
import { manifestReads } from './tables.ts';

/**
 * Compares the manifests of files with those of a state dir, as the start will. Throws ConfigError. A store that cannot
 * be read is no fault of the configuration; doctor reports it.
 */
export async function checkStored(files: Catalog, stateDir: string): Promise<void> {
  // The driver is loaded only when needed: for it the executable would unpack its files.
  if (!existsSync(join(stateDir, 'store.db'))) return;
  const faults = await conflictsIn(files, stateDir).catch(() => []);
  if (faults.length > 0) throw new ConfigError(faults);
}

async function conflictsIn(files: Catalog, stateDir: string): Promise<readonly string[]> {
  const view = await viewStore(stateDir);
  try {
    // A store of an earlier version has no such table until the next start.
    return view?.hasTable('runtime_orbs') === true ? manifestConflicts(files, manifestReads(view)) : [];
  } finally {
    view?.close();
  }
}
