import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { buildWithGo, isGoMissing } from './go-build.ts';
import { distPath } from './locate.ts';

// `npm run build:compiler`: builds the compiler, compresses it and writes it where `serve` finds it. One that stands there
// was built from the same sources, whose digest is in its name.
const target = distPath();
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
const params = { [BROTLI_PARAM_QUALITY]: 7, [BROTLI_PARAM_LGWIN]: 24 };
try {
  if (!existsSync(target)) await buildWithGo(target, compressed).done;
  process.stdout.write(`${target}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(isGoMissing(error) ? 'Go is not on PATH. Install Go 1.26 from go.dev\n' : `${message}\n`);
  process.exitCode = 1;
}

async function compressed(built: string): Promise<string> {
  const file = `${built}.compressed`;
  await writeFile(file, brotliCompressSync(await readFile(built), { params }));
  return file;
}
