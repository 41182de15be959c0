import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { authorPackage } from './scaffold/project.ts';

// Packages whose types are part of the types of the public surface.
const typePackages: readonly string[] = ['json-schema-to-ts', 'ts-algebra'];

/** The importable entries: path below the package → source. */
type Entries = Readonly<Record<string, string>>;

/**
 * Writes the package for authors into a folder: the types of the public surface and of the plugins' contracts, the same
 * values in JavaScript for code that runs without a server, the conformance suite and the examples.
 */
export async function writePackage(root: string, folder: string): Promise<void> {
  const entries = entriesOf(root);
  mkdirSync(folder, { recursive: true });
  const emitted = mkdtempSync(join(tmpdir(), 'orb-kit-'));
  try {
    emitDeclarations(root, emitted, Object.values(entries));
    for (const [path, source] of Object.entries(entries))
      await bundleTypes(emitted, source, join(folder, `${path}.d.ts`));
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
  const bundled = await bundleValues(root, folder, entries);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), licencesOf(root, [...bundled, ...typePackages]));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(root), null, 2)}\n`);
  cpSync(join(root, 'plugins/kit/README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'plugins/kit/examples'), join(folder, 'examples'), { recursive: true });
  cpSync(join(root, 'plugins/kit/author.tsconfig.json'), join(folder, 'tsconfig.json'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

function entriesOf(root: string): Entries {
  const plugins = readdirSync(join(root, 'plugins')).sort();
  const contracts = plugins.filter((name) => existsSync(join(root, 'plugins', name, 'contract.ts')));
  return {
    index: 'plugins/kit/surface.ts',
    engine: 'kernel/engine.ts',
    conformance: 'plugins/kit/conformance.ts',
    ...Object.fromEntries(contracts.map((name) => [`plugins/${name}`, `plugins/${name}/contract.ts`])),
  };
}

function manifest(root: string): object {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const entry = (path: string): object => ({ types: `./${path}.d.ts`, default: `./${path}.js` });
  return {
    name: authorPackage,
    version,
    description: 'Types, conformance suite and examples for authors of plugins and adapters of the Agent Orb Platform.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=22.19' },
    exports: {
      '.': entry('index'),
      './engine': entry('engine'),
      './conformance': entry('conformance'),
      './plugins/*': entry('plugins/*'),
      './package.json': './package.json',
      './tsconfig.json': './tsconfig.json',
    },
    types: './index.d.ts',
    // Needed by authors who write TypeScript, and by tests that open a store without a server.
    peerDependencies: { '@types/node': '>=22', 'better-sqlite3': '>=13', pg: '>=8' },
    peerDependenciesMeta: Object.fromEntries(
      ['@types/node', 'better-sqlite3', 'pg'].map((name) => [name, { optional: true }]),
    ),
  };
}

function emitDeclarations(root: string, folder: string, files: readonly string[]): void {
  const config = join(folder, 'tsconfig.json');
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: root,
      outDir: folder,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [],
    files: files.map((file) => join(root, file)),
  };
  writeFileSync(config, JSON.stringify(options));
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', config], { stdio: ['ignore', 'inherit', 'inherit'] });
  for (const name of typePackages)
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
}

/** Bundles the types of one entry; types of another entry are imported from there. */
async function bundleTypes(emitted: string, source: string, file: string): Promise<void> {
  const declared = (path: string): string => join(emitted, path.replace(/\.ts$/, '.d.ts'));
  const own = dirname(source);
  const bundle = await rolldown({
    input: declared(source),
    external: [/^node:/, new RegExp(`^${authorPackage}(?:/|$)`)],
    // Debug comments would name the folder of the build.
    experimental: { attachDebugInfo: 'none' },
    logLevel: 'warn',
    checks: { pluginTimings: false },
    plugins: [
      {
        name: 'entries',
        // Not when it is resolved: the bundler reads files side by side, and would name an import of all files after the
        // specifier of the one that is read first.
        transform(code, id) {
          if (source === 'plugins/kit/surface.ts') return undefined;
          return code.replaceAll(relativeImport, (all, before: string, quote: string, specifier: string) => {
            const name = publicName(resolve(dirname(id), specifier).slice(emitted.length + 1), own);
            return name === undefined ? all : `${before}${quote}${name}${quote}`;
          });
        },
      },
      dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false }),
    ],
  });
  await bundle.write({ file, format: 'es' });
  await bundle.close();
}

// In declarations: `from './x.ts'` and `import("./x.ts").Name`.
const relativeImport = /(\bfrom |\bimport\()(['"])(\.[^'"]+)\2/g;

/** Names the entry to which a path outside the folder `own` belongs. */
function publicName(path: string, own: string): string | undefined {
  const contract = /^plugins\/([^/]+)\/contract\.ts$/.exec(path)?.[1];
  if (path.startsWith(`${own}/`)) return undefined;
  return contract === undefined ? authorPackage : `${authorPackage}/plugins/${contract}`;
}

// Leaves out the comments of the largest package, some 110 KB, which the executable would hold too.
const compactClient: Plugin = {
  name: 'compact-client',
  setup({ esbuild, onLoad }) {
    onLoad({ filter: /\/node_modules\/undici\/.*\.js$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(readFileSync(path, 'utf8'), { minifyWhitespace: true });
      return { contents: code };
    });
  },
};

// The server opens a store; a test that wants one installs the driver of its engine itself.
const driver: Plugin = {
  name: 'driver',
  setup(setup) {
    setup.onResolve({ filter: /^(?:better-sqlite3|pg)$/ }, ({ path }) => ({ path, namespace: 'lazy' }));
    setup.onLoad({ filter: /^pg$/, namespace: 'lazy' }, () => ({
      contents: `import { createRequire } from 'node:module';
export default new Proxy({}, { get: (_, name) => createRequire(import.meta.url)('pg')[name] });`,
    }));
    setup.onLoad({ filter: /^better-sqlite3$/, namespace: 'lazy' }, () => ({
      contents: `import { createRequire } from 'node:module';
export default function Database(...given) { return new (createRequire(import.meta.url)('better-sqlite3'))(...given); }`,
    }));
  },
};

/** Bundles the values of the entries, and returns the names of the packages that were bundled with them. */
async function bundleValues(root: string, folder: string, entries: Entries): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([path, source]) => [path, join(root, source)])),
    outdir: folder,
    bundle: true,
    metafile: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    chunkNames: 'shared/[hash]',
    legalComments: 'inline',
    // Bundled CommonJS code requires Node's modules by this name.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    logLevel: 'error',
    external: ['esbuild'],
    plugins: [driver, compactClient],
  });
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
}

function licencesOf(root: string, packages: readonly string[]): string {
  const texts = [...new Set(packages)].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const [file] = readdirSync(folder).filter((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no text of its licence`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
