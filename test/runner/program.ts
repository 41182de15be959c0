import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundledStores } from '../helpers/bundled-stores.ts';
import { packageDir } from '../helpers/folder.ts';
import { threadFiles, withAddressed } from '../../plugins/kit/binary/sources.ts';

const worker = /new Worker\(\s*new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;
const place = /\bimport\.meta\.(url|dirname)\b/g;
// As kernel/orb.js does: threads read it from the environment.
const start = `import { enableCompileCache } from 'node:module';
process.env.NODE_COMPILE_CACHE ??= ${JSON.stringify(join(packageDir, 'node_modules/.cache/orb'))};
enableCompileCache();
const { main } = await import('./kernel/main.ts');
process.exitCode = await main(process.argv.slice(2));`;
// Libraries in CommonJS are bundled into modules.
const banner = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`;

/**
 * Bundles the program for the servers that tests start, and answers the path of its main file: a bundle starts in less
 * time than the checkout, or the copy of it at `root`. All files beside the code are those there.
 */
export async function bundleProgram(
  root: string = packageDir,
  folder: string = join(root, 'dist/test-program'),
): Promise<string> {
  const temporary = `${folder}.${process.pid}`;
  const threads = threadFiles(root).map((file) => ({ in: join(root, file), out: outOf(file) }));
  await build({
    // What evaluates policies is so a part that a thread loads once, however often it is another evaluator.
    entryPoints: [{ in: 'start', out: 'main' }, { in: '@open-policy-agent/opa-wasm', out: 'policies' }, ...threads],
    outdir: temporary,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    // Errors cross to other threads by their names.
    keepNames: true,
    target: 'node24',
    logLevel: 'error',
    banner: { js: banner },
    external: ['better-sqlite3', 'esbuild', '@modelcontextprotocol/client', 'undici', 'pg', 'nodemailer'],
    plugins: [inPlace(root, folder)],
    absWorkingDir: root,
  });
  rmSync(folder, { recursive: true, force: true });
  renameSync(temporary, folder);
  return join(folder, 'main.mjs');
}

// The thread that loads a store of the tests takes the classes of the bundle. A copy of the program may have no tests.
function withTestStores(root: string, load: string): string {
  const files = bundledStores.map((file) => join(root, file)).filter((file) => existsSync(file));
  return files
    .map((file) => JSON.stringify(file))
    .reduce((others, file) => `(file === ${file} ? import(${file}) : ${others})`, load);
}

const outOf = (file: string): string => file.replace(/\.ts$/, '');

// Each module keeps the address that it has in the checkout, and starts the bundles of its threads.
const inPlace = (root: string, folder: string): Plugin => ({
  name: 'in-place',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^start$/ }, () => ({ path: 'start', namespace: 'start' }));
    onLoad({ filter: /.*/, namespace: 'start' }, () => ({ contents: start, resolveDir: root, loader: 'ts' }));
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const own = { url: pathToFileURL(path).href, dirname: join(path, '..') };
      const contents = withAddressed(root, relative(root, path), readFileSync(path, 'utf8'))
        .replace('import(pathToFileURL(file).href)', (load) => withTestStores(root, load))
        .replace(worker, (_, to: string) => {
          const thread = outOf(relative(root, join(path, '..', to)));
          return `new Worker(${JSON.stringify(join(folder, `${thread}.mjs`))}`;
        })
        .replace(place, (_, name: 'url' | 'dirname') => JSON.stringify(own[name]));
      return { contents, loader: 'ts' };
    });
  },
});
