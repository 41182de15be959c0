import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { bundledStores } from '../helpers/bundled-stores.ts';
import { packageDir } from '../helpers/folder.ts';
import { threadFiles, withAddressed } from '../../plugins/kit/binary/sources.ts';

const worker = /new Worker\(\s*new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;
const place = /\bimport\.meta\.(url|dirname)\b/g;
const loader = join(import.meta.dirname, 'load-compiled.mjs');
// As kernel/orb.js does: threads read it from the environment.
const start = `import { enableCompileCache } from 'node:module';
process.env.NODE_COMPILE_CACHE ??= ${JSON.stringify(join(packageDir, 'node_modules/.cache/orb'))};
enableCompileCache();
import('./kernel/main.ts')
  .then(({ main }) => main(process.argv.slice(2)))
  .then((code) => (process.exitCode = code));`;

/**
 * Bundles the program for the servers that tests start, and answers the path of its main file: a bundle starts in less
 * time than the checkout, or the copy of it at `root`. All files beside the code are those there.
 */
export async function bundleProgram(
  root: string = packageDir,
  folder: string = join(root, 'dist/test-program'),
): Promise<string> {
  const entryPoints = [{ in: 'start', out: 'main' }, ...threadsOf(root)];
  await bundle(root, folder, { entryPoints, format: 'cjs' }, (temporary) => {
    for (const { out } of entryPoints) {
      const file = join(temporary, `${out}.js`);
      writeFileSync(file, inAscii(readFileSync(file, 'utf8')));
      const own = `import load from ${JSON.stringify(loader)};\nload(${JSON.stringify(join(folder, `${out}.js`))});\n`;
      writeFileSync(join(temporary, `${out}.mjs`), own);
    }
  });
  return join(folder, 'main.mjs');
}

/**
 * Bundles the threads of the program for the platforms in the processes of the tests, which take a thread again for the
 * next platform: it loads the first module of its bundle again, and only that. Answers their folder.
 */
export async function bundleThreads(): Promise<string> {
  const folder = join(packageDir, 'dist/test-threads');
  await bundle(packageDir, folder, {
    // What evaluates policies is so a part that a thread loads once, however often it is another evaluator.
    entryPoints: [{ in: '@open-policy-agent/opa-wasm', out: 'policies' }, ...threadsOf(packageDir)],
    outExtension: { '.js': '.mjs' },
    splitting: true,
    format: 'esm',
    // Libraries in CommonJS are bundled into modules.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
  });
  return folder;
}

async function bundle(
  root: string,
  folder: string,
  options: Pick<BuildOptions, 'banner' | 'entryPoints' | 'format' | 'outExtension' | 'splitting'>,
  finish = (_: string): void => undefined,
): Promise<void> {
  const temporary = `${folder}.${process.pid}`;
  await build({
    ...options,
    outdir: temporary,
    bundle: true,
    platform: 'node',
    // Errors cross to other threads by their names.
    keepNames: true,
    target: 'node24',
    logLevel: 'error',
    external: ['better-sqlite3', 'esbuild', '@modelcontextprotocol/client', 'undici', 'pg', 'nodemailer'],
    plugins: [inPlace(root, folder)],
    absWorkingDir: root,
  });
  finish(temporary);
  rmSync(folder, { recursive: true, force: true });
  renameSync(temporary, folder);
}

const threadsOf = (root: string) => threadFiles(root).map((file) => ({ in: join(root, file), out: outOf(file) }));

// V8 keeps a text of ASCII as the bytes that were read, and another one in twice the room. In regular expressions and the
// templates of tags esbuild leaves other characters as they are.
function inAscii(text: string): string {
  if (/(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.test(text)) throw new Error('a character that is not ASCII is escaped');
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
