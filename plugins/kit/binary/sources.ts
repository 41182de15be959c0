import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { bundledScript, dividedScript } from '../../pages/contract.ts';

const folders = ['kernel', 'plugins', 'providers'];
const packaged = /\bimport\('([^.'][^']*)'\)/g;
const worker = /new Worker\(\s*new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;

/** Lists the files of the program's threads, which `new Worker(new URL('./x.ts', import.meta.url)` starts. */
export function threadFiles(root: string): readonly string[] {
  const found = matchesOf(root, worker).map(([source, to]) => `${join(source, '..', to)}.ts`);
  return [...new Set(found)].sort();
}

/** Lists the packages that modules load when they need them, by `await import('name')`. */
export function lazyPackages(root: string): readonly string[] {
  return [...new Set(matchesOf(root, packaged).map(([, name]) => name))].sort();
}

function matchesOf(root: string, pattern: RegExp): readonly (readonly [source: string, match: string])[] {
  return sourcesOf(root).flatMap((source) =>
    [...readFileSync(join(root, source), 'utf8').matchAll(pattern)].map(([, match = '']) => [source, match] as const),
  );
}

function sourcesOf(root: string): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('kit/binary/') && join(folder, name) !== bundler)
      .map((name) => join(folder, name)),
  );
}

// The scripts of pages, which are bundled at the first request.
const bundler = 'plugins/pages/page-script.ts';
const whole = /bundledScript\(\s*new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;
const divided = /dividedScript\(\s*new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;

/**
 * Builds the scripts of pages, which the executable and the package hold without their sources: each file by its path,
 * with its text.
 */
export async function* builtScripts(root: string): AsyncGenerator<readonly [path: string, text: string]> {
  const addressOf = (path: string): URL => pathToFileURL(join(root, `${path}.ts`));
  for (const path of pathsOf(root, whole)) yield [`${path}.js`, await bundledScript(addressOf(path))()];
  for (const path of pathsOf(root, divided))
    yield [`${path}.json`, JSON.stringify(await dividedScript(addressOf(path))())];
}

/** Lists the modules that the scripts of pages are bundled from. */
export function pageScripts(root: string): readonly string[] {
  return [...pathsOf(root, whole), ...pathsOf(root, divided)].map((path) => `${path}.ts`);
}

function pathsOf(root: string, pattern: RegExp): readonly string[] {
  return matchesOf(root, pattern)
    .map(([source, to]) => join(source, '..', to))
    .sort();
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
  return text
    .replace('import(list)', "import('../../plugins/stores.ts')")
    .replace('import(module)', `(${found.join('')}import(module))`);
}

/**
 * Makes modules find the package's files in the folder of the executable: each module keeps its own path there, threads
 * are the bundles next to it, the native addon and packages for later are loaded from disk, and the scripts of pages are
 * those built now.
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
          .replace(packaged, "globalThis.orbPackage.load('$1')")
          .replaceAll('import.meta.url', `globalThis.orbPackage.url(${JSON.stringify(place)})`);
        return { contents, loader: 'ts' };
      });
      // Two packages bring the same list of media types in two versions.
      build.onResolve({ filter: /^mime-db$/ }, () => ({ path: join(root, 'node_modules/mime-db/index.js') }));
      build.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: 'driver', namespace: 'on-disk' }));
      build.onLoad({ filter: /.*/, namespace: 'on-disk' }, () => ({ contents: driver, loader: 'js' }));
    },
  };
}

// Logs name errors by their class.
const declaresError = /\bextends\s+[\w.]*Error\b|\binherits\(\w+,\s*Error\)/;

/**
 * Makes what the executable holds of packages shorter: names of variables, which no reader of a stack trace of the
 * program needs, and media types that no file name leads to.
 */
export const compact: Plugin = {
  name: 'compact',
  setup({ esbuild, onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (declaresError.test(text)) return undefined;
      const { code } = await esbuild.transform(text, { minify: true, legalComments: 'none', target: 'node24' });
      return { contents: code, loader: 'js' };
    });
    onLoad({ filter: /\/node_modules\/mime-db\/db\.json$/ }, ({ path }) => {
      const all = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, object>>;
      const read = Object.entries(all).filter(([, type]) => 'extensions' in type || 'charset' in type);
      return { contents: JSON.stringify(Object.fromEntries(read)), loader: 'json' };
    });
  },
};

// The client of tool servers gets no login and checks no schema by itself: what only these need stays out. So do the
// messages of a library in forty languages, and the reader of bodies that are no form, with its encodings.
const unneeded = /^(?:co-body|jose|eventsource|@modelcontextprotocol\/client\/_shims|(?:\.\.?\/)*locales\/index\.js)$/;

/** Leaves out what no part of the program reaches of the packages that are loaded when they are needed. */
export const needed: Plugin = {
  name: 'needed',
  setup(build) {
    build.onResolve({ filter: unneeded }, () => ({ path: 'unneeded', namespace: 'unneeded' }));
    build.onLoad({ filter: /.*/, namespace: 'unneeded' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};

const made = `import { readFile } from 'node:fs/promises';
const read = (entry, ending) => readFile(new URL(entry.href.replace(/\\.ts$/, ending)), 'utf8');
export const bundledScript = (entry) => () => read(entry, '.js');
export const dividedScript = (entry) => async () => JSON.parse(await read(entry, '.json'));`;

// Loaded when first used: a command that needs no store unpacks nothing.
const driver = `let loaded;
const load = () => (loaded ??= globalThis.orbPackage.load('better-sqlite3'));
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
  load: require('node:module').createRequire(require('node:path').join(dir, 'package.js')),
  url: (path) => require('node:url').pathToFileURL(require('node:path').join(dir, path)).href,
}))(require('node:path').resolve(__dirname, ${JSON.stringify(up)}));`;
}
