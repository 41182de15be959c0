import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { parseStrict, isRecord } from '../format/strict-json.ts';
import { claimedPosition } from '../verifier/verify.ts';
import { exportFormat, manifestFile, type Manifest } from './manifest.ts';

/** The parts of an export's manifest that are read; they define the checks to make. */
export interface ReadManifest extends Pick<Manifest, 'complete' | 'unbroken' | 'tiles'> {
  /** Shards of its logs. */
  readonly shards: readonly string[];
  /** Names of its logs. */
  readonly origins: readonly string[];
}

const shardName = /^\d{1,15}(-[0-9a-f]{8})?$/;

/** Reads the manifest of a folder; undefined when the folder is no export. Throws when the manifest is malformed. */
export async function readManifest(folder: string): Promise<ReadManifest | undefined> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseManifest(text);
}

/** Reads the text of a manifest. Throws when it is malformed. */
export function parseManifest(text: string): ReadManifest {
  const value = parseStrict(text);
  if (!isRecord(value) || value['format'] !== exportFormat || !Array.isArray(value['logs']))
    throw new Error(`${manifestFile} is not of the format ${exportFormat}`);
  const shards = value['logs'].flatMap((log: unknown) => {
    const shard = isRecord(log) ? log['shard'] : undefined;
    return typeof shard === 'string' && shardName.test(shard) ? [shard] : [];
  });
  if (new Set(shards).size !== shards.length) throw new Error(`${manifestFile} lists a shard twice`);
  if (shards.length !== value['logs'].length) throw new Error(`${manifestFile} contains an invalid log name`);
  const { complete, tiles, unbroken } = value;
  const origins = value['logs'].map((log: unknown) => String(isRecord(log) ? log['origin'] : ''));
  return { complete: complete === true, unbroken: unbroken === true, tiles: tiles === true, shards, origins };
}

/** Finds the logs in the folder of an export that its manifest does not name. */
export async function otherLogs(folder: string, shards: readonly string[]): Promise<string[]> {
  return (await sorted(join(folder, 'log'))).filter((name) => shardName.test(name) && !shards.includes(name));
}

/** One file that should be a receipt. */
export interface ReceiptFile {
  /** Path relative to the folder. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads the receipts of an export, one at a time: those of its logs in their order, then every other file of the name
 * of a receipt below `receipts`. No receipt in the folder may stay unverified.
 */
export async function* exportedReceipts(folder: string, shards: readonly string[]): AsyncGenerator<ReceiptFile> {
  for (const shard of shards)
    for (const thousand of await sorted(join(folder, 'receipts', shard)))
      for (const name of await filesIn(join(folder, 'receipts', shard, thousand))) {
        const path = join('receipts', shard, thousand, name);
        yield { path, text: await readFile(join(folder, path), 'utf8') };
      }
  for await (const path of filesBelow(folder, 'receipts')) {
    const [, shard = '', ...rest] = path.split(sep);
    if (!path.endsWith('.json') || (shards.includes(shard) && rest.length === 2)) continue;
    yield { path, text: await readFile(join(folder, path), 'utf8') };
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await orNone(readdir(folder, { withFileTypes: true }));
  return entries.flatMap((entry) => (entry.isDirectory() ? [] : entry.name)).sort();
}

/** Counts the files of a folder, an export or not, that may be receipts. */
export async function countReceipts(folder: string, isExport: boolean): Promise<number> {
  if (!isExport) return (await sorted(folder)).filter((name) => name.endsWith('.json')).length;
  let count = 0;
  for await (const path of filesBelow(folder, 'receipts')) if (path.endsWith('.json')) count++;
  return count;
}

async function* filesBelow(folder: string, under: string): AsyncGenerator<string> {
  for (const entry of await orNone(readdir(join(folder, under), { withFileTypes: true }))) {
    const path = join(under, entry.name);
    // A link may lead to a folder.
    const kind = entry.isSymbolicLink() ? await stat(join(folder, path)) : entry;
    if (kind.isDirectory()) yield* filesBelow(folder, path);
    else yield path;
  }
}

/** Reads the `.json` files of any folder, in the order of the log positions that they claim. */
export async function* looseReceipts(folder: string): AsyncGenerator<ReceiptFile> {
  const names = (await sorted(folder)).filter((name) => name.endsWith('.json'));
  const placed: { readonly name: string; readonly origin: string; readonly index: bigint }[] = [];
  for (const name of names) {
    const place = claimedPosition(await readFile(join(folder, name), 'utf8'));
    placed.push({ name, origin: place?.origin ?? '', index: place?.index ?? -1n });
  }
  placed.sort((a, b) => (a.origin === b.origin ? Number(a.index - b.index) : a.origin < b.origin ? -1 : 1));
  for (const { name } of placed) yield { path: name, text: await readFile(join(folder, name), 'utf8') };
}

async function sorted(folder: string): Promise<string[]> {
  return [...(await orNone(readdir(folder)))].sort();
}

// A missing folder is empty.
async function orNone<Entry>(reading: Promise<Entry[]>): Promise<Entry[]> {
  return reading.catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  });
}
