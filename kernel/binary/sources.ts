import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin, PluginBuild } from 'esbuild';

const folders = ['kernel', 'plugins', 'providers'];
const worker = /new Worker\(\s*new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;

/** Lists the files of the program's threads, which `new Worker(new URL('./x.ts', import.meta.url)` starts. */
export function threadFiles(root: string): readonly string[] {
  const found = sourcesOf(root).flatMap((source) =>
    [...readFileSync(join(root, source), 'utf8').matchAll(worker)].map(([, to = '']) => `${join(source, '..', to)}.ts`),
  );
  return [...new Set(found)].sort();
}

function sourcesOf(root: string): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('binary/') && join(folder, name) !== bundler)
      .map((name) => join(folder, name)),
  );
}

// The scripts of pages, which are bundled at the first request.
const bundler = 'kernel/http/html/bundle.ts';
const script = /bundledScript\(\s*new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;

/** Lists the modules of pages whose script is built with the executable, because the executable holds no sources. */
export function pageModules(root: string): readonly string[] {
  const named = sourcesOf(root).flatMap((source) =>
    [...readFileSync(join(root, source), 'utf8').matchAll(script)].map(([, to = '']) => `${join(source, '..', to)}.ts`),
  );
  return named.sort();
}

/**
 * Puts what a thread imports by its address into the bundle, where its file is not on disk: the list of stores, and the
 * engines of plugins. They share the classes of the kernel.
 */
export function withAddressed(root: string, place: string, text: string): string {
  if (place === 'kernel/store/threads/modules.ts')
    return text.replace('import(list)', "import('../../../plugins/stores.ts')");
  if (place !== 'kernel/store/engine.ts') return text;
  const engines = readdirSync(join(root, 'plugins'))
    .map((name) => `plugins/${name}/engine.ts`)
    .filter((file) => existsSync(join(root, file)));
  const found = engines.map((file) => `module.endsWith('/${file}') ? import('../../${file}') : `);
  return text.replace('import(module)', `(${found.join('')}import(module))`);
}

/**
 * Makes modules find the package's files in the folder of the executable: each module keeps its own path there, threads
 * are the bundles beside it, the native addon is loaded from disk, and the scripts of pages are those built now.
 */
export function placed(root: string): Plugin {
  return {
    name: 'placed',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const place = relative(root, path);
        if (place.startsWith('node_modules')) return undefined;
        const text = place === bundler ? made : readFileSync(path, 'utf8');
        const contents = withAddressed(root, place, text)
          .replace(worker, "new Worker(new URL('$1.cjs', import.meta.url)")
          .replaceAll('import.meta.url', `globalThis.orbPackage.url(${JSON.stringify(place)})`);
        return { contents, loader: 'ts' };
      });
      build.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: 'driver', namespace: 'on-disk' }));
      // Messages in forty languages; the program uses none of them.
      build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {};', loader: 'js' }));
      build.onLoad({ filter: toolClient }, async ({ path }) => ({
        contents: await shortened(build, path),
        loader: 'js',
      }));
      build.onLoad({ filter: /.*/, namespace: 'on-disk' }, () => ({ contents: driver, loader: 'js' }));
    },
  };
}

// By far the largest library of the program, loaded when a provider of its kind is opened.
const toolClient = /@modelcontextprotocol\/client\/dist\/index\.mjs$/;

// It gets no login and checks no schema by itself: what only these need stays out, and its own names become short.
async function shortened({ esbuild }: PluginBuild, path: string): Promise<string> {
  const unused: Plugin = {
    name: 'unused',
    setup(build) {
      const filter = /^(?:jose|eventsource|@modelcontextprotocol\/client\/_shims)$/;
      build.onResolve({ filter }, () => ({ path: 'unused', namespace: 'unused' }));
      build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
    },
  };
  const bundled = await esbuild.build({
    ...{ entryPoints: [path], bundle: true, minify: true, write: false, legalComments: 'none' },
    ...{ platform: 'node', format: 'esm', target: 'node24', logLevel: 'error', plugins: [unused] },
  });
  return bundled.outputFiles[0]?.text ?? '';
}

const made = `import { readFile } from 'node:fs/promises';
export const bundledScript = (entry: URL) => (): Promise<string> => readFile(new URL(entry.href.replace(/\\.ts$/, '.js')), 'utf8');`;

// Loaded when first used: a command that needs no store unpacks nothing.
const driver = `let loaded;
const load = () => {
  if (loaded === undefined) {
    globalThis.orbPackage.ensure();
    loaded = require('node:module').createRequire(globalThis.orbPackage.url('package.js'))('better-sqlite3');
  }
  return loaded;
};
module.exports = new Proxy(function () {}, {
  construct: (_, args) => new (load())(...args),
  get: (_, name) => (name === 'default' || name === '__esModule' ? undefined : load()[name]),
});`;

/** Returns the code that runs first in each thread's bundle, which lies below the folder: it sets the folder's path. */
export function threadBanner(place: string): string {
  const up = place
    .split('/')
    .slice(1)
    .map(() => '..')
    .join('/');
  return `globalThis.orbPackage = ((dir) => ({
  ensure() {},
  url: (path) => require('node:url').pathToFileURL(require('node:path').join(dir, path)).href,
}))(require('node:path').resolve(__dirname, ${JSON.stringify(up)}));`;
}
