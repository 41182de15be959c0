import { createHash } from 'node:crypto';
import { given } from '../../kernel/index.ts';
import type { ArchivedFile } from '../receipts/contract.ts';
import { cover } from './cover.ts';
import { bundleFormat, filesPerSum, manifestPath, signedPath, sumPath, type BundleManifest } from './format.ts';
import { partsOf, type Asked, type Parts, type Sources } from './parts.ts';

/** What a bundle is made from. */
export interface BundleScope extends Sources {
  readonly installation: string;
  readonly asked: Asked;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/**
 * Lists the files of a bundle, one at a time: the cover, the parts with a list of digests after every 5,000 files, the
 * manifest over all of it, and the signed manifest as the end.
 */
export async function* bundleFiles(scope: BundleScope): AsyncGenerator<ArchivedFile> {
  const { asked, at, installation, receipts } = scope;
  const { from, tenant, to } = asked;
  const parts = partsOf(scope);
  const about = { format: bundleFormat, installation, from, to, ...given({ tenant }), exported_at: at } as const;
  const sums = new Sums();
  for await (const file of filesOf(parts, cover({ ...about, parts: parts.names }))) {
    yield file;
    if (sums.count(file) === filesPerSum) yield sums.list();
  }
  if (sums.isOpen) yield sums.list();
  const { bytes, files, lists } = sums;
  const manifest: BundleManifest = { ...about, files, bytes, sums: lists, left_out: parts.leftOut };
  const content = `${JSON.stringify(manifest, undefined, 2)}\n`;
  yield { path: manifestPath, content };
  yield { path: signedPath, content: `${JSON.stringify(await receipts.sign(Buffer.from(content)))}\n` };
}

async function* filesOf(parts: Parts, content: string): AsyncGenerator<ArchivedFile> {
  yield { path: 'README.md', content };
  yield* parts.files();
}

/** Lists of the digests of files: the files that no list names yet, and the lists before. */
export class Sums {
  /** Files so far. */
  files = 0;
  /** Their bytes. */
  bytes = 0;
  readonly lists: { readonly path: string; readonly sha256: string; readonly files: number }[] = [];
  #lines: string[] = [];

  /** Whether there are files that no list names. */
  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  /** Takes a file; answers how many no list names. */
  count({ content, path }: ArchivedFile): number {
    this.files++;
    this.bytes += Buffer.byteLength(content);
    return this.#lines.push(`${sha256(content)}  ${path}\n`);
  }

  /** Makes the list of the files that no list names yet. */
  list(): { readonly path: string; readonly content: string } {
    const content = this.#lines.join('');
    const path = sumPath(this.lists.length);
    this.lists.push({ path, sha256: sha256(content), files: this.#lines.length });
    this.#lines = [];
    return { path, content };
  }
}

/** Computes the SHA-256 of a content as hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
