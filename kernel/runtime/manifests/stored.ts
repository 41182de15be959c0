import { ConfigError } from '../../error.ts';
import { viewStore } from '../../store/read-only.ts';
import type { Catalog } from '../catalog.ts';
import { manifestConflicts } from './open.ts';
import { manifestReads } from './tables.ts';

/** Compares the manifests of files with those of a state dir, as the start will. Throws ConfigError. */
export async function checkStored(files: Catalog, stateDir: string): Promise<void> {
  const view = await viewStore(stateDir);
  if (view === undefined) return;
  try {
    const faults = view.hasTable('runtime_orbs') ? manifestConflicts(files, manifestReads(view)) : [];
    if (faults.length > 0) throw new ConfigError(faults);
  } finally {
    view.close();
  }
}
