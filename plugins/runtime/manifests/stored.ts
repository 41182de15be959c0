import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../catalog/catalog.ts';
import { manifestConflicts } from './open.ts';
import { manifestReads } from '../tables/manifests.ts';
import { ConfigError } from '../../../kernel/index.ts';
import { type StorePlace, viewStore } from '../../../kernel/maintenance.ts';

/**
 * Compares the manifests of files with those of a store, as the start will. Throws ConfigError. A store that cannot
 * be read is no fault of the configuration; doctor reports it.
 */
export async function checkStored(files: Catalog, place: StorePlace): Promise<void> {
  // The driver is loaded only when needed: for it the executable would unpack its files.
  if (place.address === undefined && !existsSync(join(place.stateDir, 'store.db'))) return;
  const faults = await conflictsIn(files, place).catch(() => []);
  if (faults.length > 0) throw new ConfigError(faults);
}

async function conflictsIn(files: Catalog, place: StorePlace): Promise<readonly string[]> {
  const view = await viewStore(place);
  try {
    // A store of an earlier version has no such table until the next start.
    return view?.hasTable('runtime_orbs') === true ? await manifestConflicts(files, manifestReads(view)) : [];
  } finally {
    view?.close();
  }
}
