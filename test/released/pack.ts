import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** One file of a packed folder; `content`: brotli, in lines of base64. */
interface Packed {
  readonly path: string;
  /** Octal. */
  readonly mode: string;
  readonly sha256: string;
  readonly content: readonly string[];
}

/** Writes every file below `folder` into one text file, so that a repository can hold and show it. */
export function pack(folder: string, file: string): void {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const files = paths.map((path): Packed => {
    const bytes = readFileSync(path);
    const text = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }).toString('base64');
    return {
      path: relative(folder, path),
      mode: (statSync(path).mode & 0o777).toString(8),
      sha256: digest(bytes),
      content: text.match(/.{1,116}/g) ?? [],
    };
  });
  writeFileSync(file, `${JSON.stringify({ files }, undefined, 1)}\n`);
}

/** Writes the files of a packed folder below `folder`; throws when one is not what was packed. */
export function unpack(file: string, folder: string): void {
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as { readonly files: readonly Packed[] };
  for (const { path, mode, sha256, content } of files) {
    const bytes = brotliDecompressSync(Buffer.from(content.join(''), 'base64'));
    if (digest(bytes) !== sha256) throw new Error(`${path} is not what was packed`);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes, { mode: parseInt(mode, 8) });
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
