import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Makes the script of a page from a module: `bundledScript(new URL('./app.ts', import.meta.url))`, written this way so
 * that a build finds the module. Makes it at the first call, then remembers it. A checkout bundles the module; a package
 * has the script next to it (`app.js`).
 */
export function bundledScript(entry: URL): () => Promise<string> {
  let script: Promise<string> | undefined;
  return () =>
    (script ??= scriptOf(entry).catch((error: unknown) => {
      script = undefined;
      throw error;
    }));
}

let building = 0;

async function scriptOf(entry: URL): Promise<string> {
  const bundler = await import('esbuild').catch(missing);
  if (bundler === undefined) return readBuilt(entry);
  building += 1;
  try {
    const { outputFiles } = await bundler.build({
      ...{ entryPoints: [fileURLToPath(entry)], bundle: true, minify: true, write: false, format: 'iife' },
      ...{ platform: 'browser', legalComments: 'none', logLevel: 'silent' },
    });
    return outputFiles[0]?.text ?? '';
  } finally {
    building -= 1;
    // The bundler works in a process of its own, which is not needed until the next script.
    if (building === 0) await bundler.stop();
  }
}

async function readBuilt(entry: URL): Promise<string> {
  const path = fileURLToPath(entry).replace(/\.ts$/, '.js');
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`${path} is missing, and esbuild, which builds it, is not installed; run npm ci`, { cause });
  });
}

// A package is installed without it.
function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
}
