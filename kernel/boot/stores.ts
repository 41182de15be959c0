import { given } from '../tools/given.ts';
import type { Config } from '../config/config.ts';
import type { Loaded } from './loaded.ts';

/** What was configured and loaded. */
interface Configured {
  readonly loaded: Loaded;
  readonly config: Config;
}

/** Collects what a store is opened with: its modules, and what the configuration says of it. */
export function storesOf({ loaded: { place, plugins, stores: list }, config }: Configured) {
  const { masterKey, node, severalNodes: beside } = config;
  const modules = plugins.flatMap((plugin) => plugin.stores);
  return { modules, beside, ...given({ list, masterKey, node, address: place.address }) };
}
