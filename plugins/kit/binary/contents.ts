import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build as esbuild, type BuildOptions, type Plugin } from 'esbuild';
import { packFiles, type PackedChoice } from './packed-files.ts';
import { packedCompiler, type Packing } from './compression.ts';
import { printedBy } from './printed-by.ts';
import {
  builtScripts,
  compact,
  lazyPackages,
  needed,
  pageScripts,
  placed,
  threadBanner,
  threadFiles,
} from './sources.ts';

const bundling = (root: string): BuildOptions => ({
  bundle: true,
  platform: 'node',
  format: 'cjs',
  // An npm package of the program runs on it, too.
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'error',
  plugins: [placed(root), compact],
  absWorkingDir: root,
});

/** How the contents are made. */
export interface ContentsChoice extends PackedChoice {
  /** How they are compressed; `smallest` unless given. */
  readonly packing?: Packing;
}

/**
 * Writes what an executable of any target holds: the bundle of the program as `main.cjs`, and below `files/` the files
 * that it unpacks, laid out like the package. Only the database driver's addon, which each target has its own of, is not
 * among them. Answers the folders of the packages that became part of it.
 */
export async function writeContents(root: string, dir: string, choice: ContentsChoice): Promise<readonly string[]> {
  const inputs = new Set<string>();
  await writeFiles(root, join(dir, 'files'), choice, inputs);
  await esbuild({
    ...noting(bundling(root), inputs),
    entryPoints: [join(root, 'kernel/binary/entry.ts')],
    outfile: join(dir, 'main.cjs'),
  });
  return packageFolders(inputs);
}

/**
 * Writes a folder that a Node of the user's own runs: the files that an executable unpacks, with the addons of all
 * systems, and `main.cjs`, the bundle of the program that finds them beside it. Answers the folders of the packages that
 * became part of it.
 */
export async function writeProgram(root: string, dir: string, packing: Packing): Promise<readonly string[]> {
  const inputs = new Set<string>();
  await writeFiles(root, dir, { withLocalFiles: false, packing }, inputs);
  cpSync(join(root, driver, 'prebuilds'), join(dir, driver, 'prebuilds'), { recursive: true });
  await esbuild({
    ...noting(bundling(root), inputs),
    banner: { js: threadBanner('main.cjs') },
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    outfile: join(dir, 'main.cjs'),
  });
  return packageFolders(inputs);
}

const program = `import './kernel/cli/working-dir.ts';
import './kernel/binary/early.ts';
import { main } from './kernel/main.ts';
void main(process.argv.slice(2)).then((code) => { process.exitCode = code; });`;

async function writeFiles(root: string, files: string, choice: ContentsChoice, inputs: Set<string>): Promise<void> {
  packFiles(root, files, choice);
  await bundles(root, files, inputs);
  for (const path of packaged(root)) {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    const isCompiler = path.startsWith('dist/policy-compiler-');
    const source = isCompiler ? packedCompiler(root, path, choice.packing ?? 'smallest') : join(root, path);
    copyFileSync(source, join(files, path));
    inputs.add(path);
  }
}

/** Makes a build note which files its bundle has code of. */
function noting(options: BuildOptions, inputs: Set<string>): BuildOptions {
  const note: Plugin = {
    name: 'note',
    setup({ onEnd }) {
      onEnd(({ metafile }) => {
        for (const output of Object.values(metafile?.outputs ?? {}))
          for (const [path, { bytesInOutput }] of Object.entries(output.inputs))
            if (bytesInOutput > 0) inputs.add(path);
      });
    },
  };
  return { ...options, metafile: true, plugins: [...(options.plugins ?? []), note] };
}

/** Finds the folders of the packages that files belong to, sorted; the files are paths from a checkout. */
export function packageFolders(files: Iterable<string>): readonly string[] {
  // The folder of packages may be a link to one elsewhere.
  const folder = /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;
  return [...new Set([...files].flatMap((file) => folder.exec(file)?.[1] ?? []))].sort();
}

async function bundles(root: string, files: string, inputs: Set<string>): Promise<void> {
  const build = (options: BuildOptions): Promise<unknown> => esbuild(noting(options, inputs));
  for (const thread of threadFiles(root)) {
    const place = thread.replace(/\.ts$/, '.cjs');
    const banner = { js: threadBanner(place) };
    await build({ ...bundling(root), banner, entryPoints: [join(root, thread)], outfile: join(files, place) });
  }
  for (const name of lazyPackages(root)) {
    const outfile = join(files, 'node_modules', `${name}.js`);
    await build({ ...bundling(root), minify: true, plugins: [needed], entryPoints: [name], outfile });
  }
  for await (const [path, text] of builtScripts(root)) {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    writeFileSync(join(files, path), text);
  }
  // What is divided when it is served has the same modules undivided.
  for (const entry of pageScripts(root))
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      bundle: true,
      format: 'iife',
      minify: true,
      write: false,
    });
}

/** The folder of the database driver's package. */
export const driver = 'node_modules/better-sqlite3';

function packaged(root: string): readonly string[] {
  const all = (folder: string, filter: (name: string) => boolean): string[] =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter(filter);
  const made = (script: string): string => printedBy('npm', ['run', '--silent', script], { cwd: root }).trim();
  made('build:kit');
  made('build:clients');
  return [
    ...all('dist/clients', (path) => /\.(?:tgz|whl)$/.test(path)),
    ...all('dist/kit/agent-orb-kit', () => true),
    // What plugins keep next to their code: pages, policies, examples, sources of a compiler. Pictures are for readers of
    // the repository: the documentation of a server shows links in their place. Clients are packages.
    ...all('plugins', (path) => !unpacked.test(path) || path.includes('/examples/')),
    made('build:compiler').slice(root.length + 1),
    ...all(`${driver}/lib`, () => true),
    `${driver}/package.json`,
    `${driver}/LICENSE`,
  ];
}

const unpacked = /\.(?:ts|webp)$|^plugins\/(?:clients|release\/build)\//;
