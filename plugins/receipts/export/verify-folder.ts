import { verifyReceipts, type FolderOptions } from '../verifier/archive/files.ts';
import type { Trust } from '../verifier/trust.ts';
import { countReceipts, exportedReceipts, looseReceipts, readManifest } from './folder.ts';

/** Verifies every receipt of a folder, an export or not, and the relations between them. Reads one file at a time. */
export async function verifyFolder(
  folder: string,
  trust: Trust,
  asked: FolderOptions = {},
): ReturnType<typeof verifyReceipts> {
  const manifest = await readManifest(folder);
  const files = manifest === undefined ? looseReceipts(folder) : exportedReceipts(folder, manifest.shards);
  const total = asked.progress === undefined ? 0 : await countReceipts(folder, manifest !== undefined);
  return verifyReceipts(files, manifest, trust, asked, total);
}
