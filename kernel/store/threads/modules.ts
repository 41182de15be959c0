import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../error.ts';
import type { Operations, StoreModule } from '../contract.ts';
import type { NamedModule } from '../message.ts';
import { sharedPurpose } from '../sealer.ts';

/** What a program lists for the threads of its store. */
interface StoreList {
  readonly builtinStores: readonly StoreModule<Operations, unknown>[];
  /** Lets modules from outside the tree import what authors may. */
  provideKit?(): Promise<void>;
}

/** Loads the list of a program; without its address no store ships. */
export async function loadList(list: string | undefined): Promise<StoreList> {
  return list === undefined ? { builtinStores: [] } : ((await import(list)) as StoreList);
}

/** Loads store modules in a thread: those of the `list` by name, others from their file. Throws ConfigError. */
export async function loadModules(named: readonly NamedModule[], list?: string): Promise<StoreModule<Operations>[]> {
  const faults: string[] = [];
  const modules: StoreModule<Operations>[] = [];
  const listed = await loadList(list);
  const find = (name: string) => listed.builtinStores.find((store) => store.name === name);
  for (const { name, file } of named) {
    const module = file === undefined ? find(name) : await load(file, listed, faults);
    if (module?.name === name) modules.push(module);
    else if (module !== undefined) faults.push(`store ${name}: ${file ?? 'the file'} holds the store ${module.name}`);
    else if (file === undefined) faults.push(`store ${name}: is not among the stores that ship`);
  }
  faults.push(...nameFaults(named.map(({ name }) => name)), ...purposeFaults(modules));
  if (faults.length > 0) throw new ConfigError(faults);
  return modules;
}

async function load(
  file: string,
  { provideKit }: StoreList,
  faults: string[],
): Promise<StoreModule<Operations> | undefined> {
  try {
    // Only external code needs the whole public surface in this thread.
    await provideKit?.();
    const { default: module } = (await import(pathToFileURL(file).href)) as { default?: unknown };
    if (isStoreModule(module)) return module;
    faults.push(`store file ${file}: its default export must be a store module; use defineStore`);
  } catch (error) {
    faults.push(`store file ${file}: cannot be loaded: ${(error as Error).message}`);
  }
  return undefined;
}

function isStoreModule(value: unknown): value is StoreModule<Operations> {
  if (typeof value !== 'object' || value === null) return false;
  const { name, migrations, write, read } = value as Partial<Record<keyof StoreModule, unknown>>;
  return (
    typeof name === 'string' && Array.isArray(migrations) && typeof write === 'function' && typeof read === 'function'
  );
}

function nameFaults(names: readonly string[]): string[] {
  return names.flatMap((name, index) => {
    if (names.indexOf(name) !== index) return [`store ${name}: is named twice`];
    const good = /^[a-z][a-z0-9_]*$/.test(name) && name !== 'kernel' && !name.startsWith('sqlite');
    return good ? [] : [`store ${name}: a name is lower case with _, and neither kernel nor sqlite…`];
  });
}

// Two modules with the same purpose could open each other's sealed values; `check` proves the master key.
function purposeFaults(modules: readonly StoreModule<Operations>[]): string[] {
  const owners = new Map([
    ['check', 'the kernel'],
    [sharedPurpose, 'every module'],
  ]);
  return modules.flatMap(({ name, seals = [] }) =>
    seals.flatMap((purpose) => {
      const owner = owners.get(purpose);
      owners.set(purpose, name);
      return owner === undefined ? [] : [`store ${name}: the purpose ${purpose} belongs to ${owner}`];
    }),
  );
}
