import { runtimeStores } from '../runtime/stores.ts';
import { given } from '../tools/given.ts';
import type { Config } from './config.ts';
import type { Loaded } from './loader.ts';

/** What was configured and loaded. */
interface Configured {
  readonly loaded: Loaded;
  readonly config: Config;
}

/** Collects what a store is opened with: its modules, and what the configuration says of it. */
export function storesOf({ loaded: { place, plugins, stores: list }, config }: Configured) {
  const { masterKey, node, severalNodes: beside } = config;
  const modules = [...runtimeStores, ...plugins.flatMap(({ store }) => store ?? [])];
  return { modules, beside, ...given({ list, masterKey, node, address: place.address }) };
}
