import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOrb, type Orb } from './orb.ts';
import { createOrbiset, type Orbiset } from './orbiset.ts';
import { digestOf, program } from '../../../kernel/index.ts';

/** A `data` folder; `listed`: names of the only files that count there, by their path below it. */
interface DataFolder {
  readonly path: string;
  readonly listed?: ReadonlySet<string>;
}

/** All Orbs and Orbisets of the installation, by id; read once at boot. */
export interface Catalog {
  readonly orbs: ReadonlyMap<string, Orb>;
  readonly orbisets: ReadonlyMap<string, Orbiset>;
}

/**
 * Reads `orbs` and `orbisets` of data folders. A file in the first folder hides a file of the same name in a later one.
 * A file must be named by the id that it declares. Faults are added with the file's name.
 */
export function readCatalog(data: readonly DataFolder[], faults: string[]): Catalog {
  return {
    orbs: readFolder(data, 'orbs', orbIn, (orb) => orb.orb_id, faults),
    orbisets: readFolder(data, 'orbisets', orbisetIn, (orbiset) => orbiset.id, faults),
  };
}

const orbisetIn = (path: string, faults: string[]): Orbiset | undefined =>
  createOrbiset(readJson(path, faults), faults);

// Orbs of shipped files, by digest: all platforms of a process share them.
const shippedOrbs = new Map<string, Orb>();

function orbIn(path: string, faults: string[]): Orb | undefined {
  const digest = digestOf(path);
  if (digest === undefined || !shippedDigests().has(digest)) return createOrb(readJson(path, faults), faults);
  const orb = shippedOrbs.get(digest) ?? createOrb(readJson(path, faults), faults, { shipped: true });
  if (orb !== undefined) shippedOrbs.set(digest, orb);
  return orb;
}

function shippedDigests(): ReadonlySet<string> {
  try {
    return new Set(program.shipped('data').values());
  } catch {
    // Without the list of what ships, each file is checked.
    return new Set();
  }
}

/** Reads the Orbs and Orbisets in the files of a home, with the shipped ones. Manifests with faults are left out. */
export function catalogOf(home: string): Catalog {
  return readCatalog(dataFolders(home), []);
}

/** Lists the folders of manifests of a home; the first has priority. */
export function dataFolders(home: string): readonly DataFolder[] {
  const own = { path: join(home, 'data') };
  if (program.isHome(home)) return [own];
  return [own, { path: join(program.path, 'data'), listed: new Set(program.shipped('data').keys()) }];
}

function readFolder<T>(
  data: readonly DataFolder[],
  folder: string,
  create: (path: string, faults: string[]) => T | undefined,
  idOf: (item: T) => string,
  faults: string[],
): ReadonlyMap<string, T> {
  const items = new Map<string, T>();
  for (const [file, path] of filesOf(data, folder)) {
    const where = `${folder}/${file}`;
    const found: string[] = [];
    const item = create(path, found);
    faults.push(...found.map((fault) => `${where}${fault}`));
    if (item === undefined) continue;
    if (`${idOf(item)}.json` === file) items.set(idOf(item), item);
    else faults.push(`${where}: declares ${idOf(item)}; name the file ${idOf(item)}.json`);
  }
  return items;
}

function filesOf(data: readonly DataFolder[], folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { path, listed } of data) {
    const names = existsSync(join(path, folder)) ? readdirSync(join(path, folder)) : [];
    for (const name of names.filter((one) => one.endsWith('.json')).sort())
      if (!files.has(name) && listed?.has(`${folder}/${name}`) !== false) files.set(name, join(path, folder, name));
  }
  return files;
}

function readJson(path: string, faults: string[]): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    faults.push(`: cannot be read as JSON (${code ?? message})`);
    return undefined;
  }
}
