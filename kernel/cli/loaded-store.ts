import { readConfig } from '../boot/config.ts';
import { load, type Builtin } from '../boot/loader.ts';
import type { Environment } from '../boot/state-dir.ts';
import { storesOf } from '../boot/stores.ts';
import { keptBy, verified } from './backup.ts';
import type { LoadedStore } from './command.ts';

/**
 * Makes what loads the whole configuration for commands that work on all of a store. Throws ConfigError with all faults.
 */
export function storeLoader(builtin: Builtin): (env: Environment) => Promise<LoadedStore> {
  return async (env) => {
    const faults: string[] = [];
    const config = readConfig(env, process.cwd(), faults);
    const loaded = await load(config, builtin, faults);
    const configured = storesOf({ config, loaded }).modules.map(({ module }) => module);
    const names = new Set(configured.map(({ name }) => name));
    // Plugins that are left out may have left rows.
    const shipped = builtin.plugins.flatMap(({ store }) => (typeof store === 'object' ? [store] : []));
    return {
      ...loaded.place,
      ...{ masterKey: config.masterKey, node: config.node },
      modules: [...configured, ...shipped.filter(({ name }) => !names.has(name))],
      check: (call, place) => verified(keptBy(builtin.plugins), { ...call, store: () => place }),
    };
  };
}
