import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolders, readCatalog, type Catalog } from '../catalog/catalog.ts';
import { manifestReads } from '../tables/manifests.ts';
import { manifestConflicts } from './open.ts';
import { ConfigError } from '../../../kernel/index.ts';
import { viewStore, type StorePlace } from '../../../kernel/maintenance.ts';
import type { FilesSource, PluginFiles } from '../../../kernel/index.ts';
import type { Loaded } from '../../../kernel/runner.ts';

/** Reads the Orbs and Orbisets in the files of the home, with what platform.json binds to them. */
export const manifestFiles: PluginFiles<Catalog> = Object.freeze({
  read(source: FilesSource, faults: string[]) {
    const catalog = readCatalog(dataFolders(source.config.home), faults);
    checkBindings(source, catalog, faults);
    return catalog;
  },
  check: checkStored,
  list: ({ orbs, orbisets }: Catalog) => ({ orbs: [...orbs.keys()], orbisets: [...orbisets.keys()] }),
});

/** Finds the Orbs and Orbisets of files among what was loaded. */
export function loadedCatalog({ plugins }: Loaded): Catalog {
  const found = plugins.find(({ plugin }) => plugin.files === manifestFiles);
  if (found === undefined) throw new Error('the plugin runtime is left out');
  return found.files as Catalog;
}

function checkBindings({ config, providers }: FilesSource, catalog: Catalog, faults: string[]): void {
  for (const [orbId, order] of Object.entries(config.bindings)) {
    const path = `platform.json/bindings/${orbId}`;
    const orb = catalog.orbs.get(orbId);
    if (orb === undefined)
      faults.push(
        `${path}: there is no such Orb in data/orbs; for an Orb added through the API, swap its provider instead`,
      );
    for (const name of order) {
      const provider = providers.get(name);
      if (provider === undefined) faults.push(`${path}: there is no provider ${name}`);
      else if (orb !== undefined && provider.adapter.capability !== orb.manifest.capability)
        faults.push(`${path}: ${name} offers ${provider.adapter.capability}, the Orb needs ${orb.manifest.capability}`);
    }
  }
}

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
