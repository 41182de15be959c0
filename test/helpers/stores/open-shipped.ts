import { openStore, type OpenStore, type StoreOptions } from '../../../kernel/store/serving/store.ts';
import { hasBundle, withBundledThreads } from '../bundled-threads.ts';
import { shippedList } from './shipped-list.ts';

/** As `openStore`, in the threads of the bundle in a whole run: of modules that are in the bundle. */
export function openBundled(options: StoreOptions): Promise<OpenStore> {
  return withBundledThreads(() => openStore(options));
}

/**
 * Opens a store whose modules all ship. In a whole run its threads are those of the bundle, which has the list of all
 * modules, and one writer thread serves store after store; else they load the files that the modules name.
 */
export function openShipped(options: StoreOptions): Promise<OpenStore> {
  if (!hasBundle) return openStore(options);
  const modules = options.modules.map(({ module }) => ({ module }));
  return openBundled({ ...options, modules, list: shippedList });
}
