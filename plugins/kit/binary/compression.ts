import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const { BROTLI_MAX_WINDOW_BITS, BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;

/**
 * Compresses bytes with Brotli as far as it goes. The window holds up to 16 MB: threads and the package for authors have
 * most of their code in common.
 */
export function smallest(bytes: Uint8Array): Buffer {
  const params = {
    [BROTLI_PARAM_QUALITY]: 11,
    [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS,
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params });
}

/**
 * Compresses the policy compiler, which a checkout compresses for speed, as far as it goes, and answers the file. It takes
 * a minute, so the result stays in `dist/`, named by its content.
 */
export function smallestCompiler(root: string, built: string): string {
  const program = brotliDecompressSync(readFileSync(join(root, built)));
  const digest = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const file = join(root, 'dist', `policy-compiler-smallest-${digest}.wasm.br`);
  if (!existsSync(file)) {
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, smallest(program));
    renameSync(temporary, file);
  }
  return file;
}
