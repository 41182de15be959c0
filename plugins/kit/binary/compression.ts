import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** How files are packed: `smallest` as a release is, or `quick`, for tests: in a tenth of the time, and a tenth larger. */
export type Packing = 'smallest' | 'quick';

const qualities: Readonly<Record<Packing, number>> = { smallest: 11, quick: 5 };
const { BROTLI_MAX_WINDOW_BITS, BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;

/**
 * Compresses bytes with Brotli. The window holds up to 16 MB: threads and the package for authors have most of their code
 * in common.
 */
export function compressed(bytes: Uint8Array, packing: Packing): Buffer {
  const params = {
    [BROTLI_PARAM_QUALITY]: qualities[packing],
    [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS,
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params });
}

/**
 * Answers the file of the policy compiler, which a checkout compresses for speed. To compress it as far as it goes takes a
 * minute, so the result stays in `dist/`, named by its content.
 */
export function packedCompiler(root: string, built: string, packing: Packing): string {
  if (packing === 'quick') return join(root, built);
  const program = brotliDecompressSync(readFileSync(join(root, built)));
  const digest = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const file = join(root, 'dist', `policy-compiler-smallest-${digest}.wasm.br`);
  if (!existsSync(file)) {
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, compressed(program, packing));
    renameSync(temporary, file);
  }
  return file;
}
