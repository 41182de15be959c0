import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStrict } from '../verifier/strict-json.ts';
import { isRecord } from '../verifier/trust.ts';
import { claimedPosition } from '../verifier/verify.ts';
import { exportFormat, manifestFile } from './manifest.ts';

/** The parts of an export's manifest that are read; they define the checks to make. */
export interface ReadManifest {
  readonly complete: boolean;
  readonly unbroken: boolean;
  readonly tiles: boolean;
  /** Shards of its logs. */
  readonly shards: readonly string[];
  /** Names of its logs. */
  readonly origins: readonly string[];
}

/** Reads the manifest of a folder; undefined when the folder is no export. Throws when the manifest is malformed. */
export async function readManifest(folder: string): Promise<ReadManifest | undefined> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const value = parseStrict(text);
  if (!isRecord(value) || value['format'] !== exportFormat || !Array.isArray(value['logs']))
    throw new Error(`${manifestFile} is not of the format ${exportFormat}`);
  const shards = value['logs'].flatMap((log: unknown) => {
    const shard = isRecord(log) ? log['shard'] : undefined;
    return typeof shard === 'string' && /^\d{1,15}(-[0-9a-f]{8})?$/.test(shard) ? [shard] : [];
  });
  if (shards.length !== value['logs'].length) throw new Error(`${manifestFile} names a log that cannot be`);
  const { complete, tiles, unbroken } = value;
  const origins = value['logs'].map((log: unknown) => String(isRecord(log) ? log['origin'] : ''));
  return { complete: complete === true, unbroken: unbroken === true, tiles: tiles === true, shards, origins };
}

/** One file that should be a receipt. */
export interface ReceiptFile {
  /** Path relative to the folder. */
  readonly path: string;
  readonly text: string;
}

/** Reads the receipts of an export in the order of its logs, one at a time. */
export async function* exportedReceipts(folder: string, shards: readonly string[]): AsyncGenerator<ReceiptFile> {
  for (const shard of shards)
    for (const thousand of await sorted(join(folder, 'receipts', shard)))
      for (const name of await sorted(join(folder, 'receipts', shard, thousand))) {
        const path = join('receipts', shard, thousand, name);
        yield { path, text: await readFile(join(folder, path), 'utf8') };
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
  const names = await readdir(folder).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  });
  return names.sort();
}
