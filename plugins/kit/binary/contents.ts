import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { packFiles, type PackedChoice } from './packed-files.ts';
import { builtScripts, compact, lazyPackages, needed, placed, threadBanner, threadFiles } from './sources.ts';

const bundling = (root: string): BuildOptions => ({
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'error',
  plugins: [placed(root), compact],
  absWorkingDir: root,
});

/**
 * Writes what an executable of any target holds: the bundle of the program as `main.cjs`, and below `files/` the files
 * that it unpacks, laid out like the package. Only the database driver's addon, which each target has its own of, is not
 * among them.
 */
export async function writeContents(root: string, dir: string, choice: PackedChoice): Promise<void> {
  const files = join(dir, 'files');
  packFiles(root, files, choice);
  await bundles(root, files);
  for (const path of packaged(root)) {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    copyFileSync(join(root, path), join(files, path));
  }
  await build({
    ...bundling(root),
    entryPoints: [join(root, 'kernel/binary/entry.ts')],
    outfile: join(dir, 'main.cjs'),
  });
}

async function bundles(root: string, files: string): Promise<void> {
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
}

/** The folder of the database driver's package. */
export const driver = 'node_modules/better-sqlite3';

function packaged(root: string): readonly string[] {
  const all = (folder: string, filter: (name: string) => boolean): string[] =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter(filter);
  const made = (script: string): string =>
    execFileSync('npm', ['run', '--silent', script], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim();
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
