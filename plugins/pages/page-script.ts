import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { build } from 'esbuild';
import { bundling, divide, type DividedScript } from './divided-script.ts';
import { once } from './once.ts';

/**
 * Makes the script of a page from a module: `bundledScript(new URL('./app.ts', import.meta.url))`, written this way so
 * that a build finds the module. Makes it at the first call, then remembers it. A checkout bundles the module; a package
 * has the script next to it (`app.js`).
 */
export function bundledScript(entry: URL): () => Promise<string> {
  const make = async (bundle: typeof build, entryPoint: string): Promise<string> => {
    const { outputFiles } = await bundle({ ...bundling, entryPoints: [entryPoint], format: 'iife' });
    return outputFiles[0]?.text ?? '';
  };
  return once(async () => (await bundled(entry, make)) ?? (await readBuilt(entry, '.js')));
}

/**
 * Makes the script of a page whose dynamic imports are loaded when they are needed, as `bundledScript` does: the files by
 * their names, `app.js` first. A package has them next to the module, as one file (`app.json`).
 */
export function dividedScript(entry: URL): () => Promise<DividedScript> {
  return once(
    async () => (await bundled(entry, divide)) ?? (JSON.parse(await readBuilt(entry, '.json')) as DividedScript),
  );
}

let building = 0;

async function bundled<T>(
  entry: URL,
  make: (bundle: typeof build, path: string) => Promise<T>,
): Promise<T | undefined> {
  const bundler = await import('esbuild').catch(missing);
  if (bundler === undefined) return undefined;
  building += 1;
  try {
    return await make(bundler.build, fileURLToPath(entry));
  } finally {
    building -= 1;
    // The bundler works in a process of its own, which is not needed until the next script.
    if (building === 0) await bundler.stop();
  }
}

async function readBuilt(entry: URL, ending: string): Promise<string> {
  const path = fileURLToPath(entry).replace(/\.ts$/, ending);
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`${path} is missing, and esbuild, which builds it, is not installed; run npm ci`, { cause });
  });
}

// A package is installed without it.
function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
}
