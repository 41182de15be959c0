import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import type { build, BuildOptions, Plugin } from 'esbuild';

/** How each script of a page is built. */
export const bundling = {
  ...{ bundle: true, minify: true, write: false, platform: 'browser', legalComments: 'none', logLevel: 'silent' },
} as const satisfies BuildOptions;

/** The files of a divided script by their names: `app.js`, and `app/<part>-<digest>.js` for what it imports later. */
export type DividedScript = Readonly<Record<string, string>>;

/**
 * Divides the script of a page at its dynamic imports: each imported module becomes a file with all that only it needs,
 * named after its folder and its text. What the first script holds, the parts take from it, so that both have the same
 * state. esbuild's own division makes one file for each set of parts that share a module, which are dozens.
 */
export async function divide(bundle: typeof build, entry: string): Promise<DividedScript> {
  const folder = dirname(entry);
  const later = new Map<string, string>();
  const { metafile } = await bundle({ ...bundling, ...from(folder), ...whole(entry), plugins: [apart(later)] });
  // The bundler reads files side by side: in their own order, the same files always give the same text.
  const held = Object.keys(metafile?.inputs ?? {}).sort();
  const taken = new Set<number>();
  const files: Record<string, string> = {};
  for (const module of [...later.keys()].sort()) {
    const plugins = [without(held, taken)];
    const { outputFiles } = await bundle({
      ...bundling,
      ...from(folder),
      plugins,
      entryPoints: [module],
      format: 'esm',
    });
    const text = outputFiles[0]?.text ?? '';
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 10);
    const name = `app/${basename(dirname(module))}-${digest}.js`;
    later.set(module, name);
    files[name] = text;
  }
  const plugins = [apart(later), giving(entry, held, taken)];
  const { outputFiles } = await bundle({ ...bundling, ...from(folder), ...whole(entry), plugins });
  return { 'app.js': outputFiles[0]?.text ?? '', ...files };
}

const from = (absWorkingDir: string) => ({ absWorkingDir, outdir: resolve(absWorkingDir, 'out') });
const whole = (entry: string) => ({ entryPoints: [entry], metafile: true as const, format: 'iife' as const });

/** Leaves what is imported later out of the first script, and notes it; the script loads the file named by the map. */
function apart(later: Map<string, string>): Plugin {
  return {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const module = resolve(resolveDir, path);
        if (!later.has(module)) later.set(module, '');
        return { path: `./${later.get(module)}`, external: true };
      });
    },
  };
}

/** Takes the modules that the first script holds from there, and notes their numbers. */
function without(held: readonly string[], taken: Set<number>): Plugin {
  return {
    name: 'without',
    setup({ initialOptions, onLoad, onResolve, resolve: find }) {
      onResolve({ filter: /.*/ }, async ({ importer, kind, path, pluginData, resolveDir }) => {
        if (kind !== 'import-statement' || pluginData === found) return undefined;
        const module = await find(path, { importer, kind, resolveDir, pluginData: found });
        const number = held.indexOf(relative(initialOptions.absWorkingDir ?? '', module.path));
        if (number === -1) return module;
        taken.add(number);
        return { path: String(number), namespace: 'held' };
      });
      // The mark makes its default export what `import name from` takes.
      onLoad({ filter: /.*/, namespace: 'held' }, ({ path }) => ({
        contents: `module.exports = Object.defineProperty(globalThis.pageModules[${path}], '__esModule', { value: true });`,
      }));
    },
  };
}

const found = {};

/** Makes the first script give the modules of these numbers, by an addition to its own module. */
function giving(entry: string, held: readonly string[], taken: ReadonlySet<number>): Plugin {
  const numbers = [...taken].sort((one, other) => one - other);
  const imports = numbers.map((number) => `import * as given${number} from './${held[number]}';`);
  const given = numbers.map((number) => `${number}: given${number}`);
  return {
    name: 'giving',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== entry) return undefined;
        const lines = [await readFile(path, 'utf8'), ...imports];
        return {
          contents: `${lines.join('\n')}\nObject.assign(globalThis, { pageModules: { ${given.join()} } });`,
          loader: 'ts',
        };
      });
    },
  };
}
