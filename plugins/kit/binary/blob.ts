import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compressed, type Packing } from './compression.ts';
import { driver } from './contents.ts';
import { v8Flags } from './flags.ts';
import { stripped } from './formats/elf.ts';

/** What differs between the blobs of two targets. */
export interface BlobChoice {
  /** The addon of the database driver, as its package names it: `linux-arm64`. */
  readonly prebuild: string;
  /** A runtime that runs here, of the version that the executable gets. */
  readonly maker: string;
  /** Whether the code is compiled now: the executable must then have the very runtime that makes the blob. */
  readonly codeCache: boolean;
  /** How its files are compressed; `smallest` unless given. */
  readonly packing?: Packing;
}

/**
 * Makes what is injected into a runtime, of the contents in `dir`, and answers its file. The same contents always give
 * the same bytes.
 */
export function makeBlob(root: string, dir: string, choice: BlobChoice): string {
  const { codeCache, maker, packing = 'smallest', prebuild } = choice;
  const addon = `${driver}/prebuilds/${prebuild}.node`;
  const files = readdirSync(join(dir, 'files'), { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(dir, 'files', path)).isFile())
    .map((path) => [path, join(dir, 'files', path)] as const);
  const own = readFileSync(join(root, addon));
  writeFileSync(join(dir, 'addon.node'), prebuild.startsWith('linux-') ? stripped(own) : own);
  const all = new Map(
    [...files, [addon, join(dir, 'addon.node')] as const].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  const { list, archive } = pack(all, packing);
  writeFileSync(join(dir, 'files.json'), JSON.stringify(list));
  writeFileSync(join(dir, 'files.br'), archive);
  const apart = list.flatMap(({ path, place }) => (place === undefined ? [path] : []));
  // The blob holds the path of its main script: relative, it is the same wherever it is made.
  const config = {
    main: 'main.cjs',
    output: `orb-${prebuild}.blob`,
    disableExperimentalSEAWarning: true,
    useCodeCache: codeCache,
    // A large young generation holds the objects of all runs under way, so the collector copies each of them less
    // often. No object is allocated in old space because others of its kind survived a collection: there it would keep
    // its run in memory until a full collection.
    execArgv: ['--disable-warning=ExperimentalWarning', ...v8Flags],
    // The environment of a service must not change the flags of the program.
    execArgvExtension: 'none',
    assets: {
      'files.json': 'files.json',
      'files.br': 'files.br',
      ...Object.fromEntries(apart.map((path) => [path, join('files', path)])),
    },
  };
  writeFileSync(join(dir, 'sea.json'), JSON.stringify(config));
  // V8 rejects code that was compiled under other flags than it runs with, but for the seed: compiled code holds hashes of
  // strings, and with one seed the same code gives the same bytes.
  execFileSync(maker, [...v8Flags, '--random-seed=1', '--experimental-sea-config', 'sea.json'], {
    cwd: dir,
    stdio: 'pipe',
  });
  return join(dir, config.output);
}

// As kernel/binary/unpacked.ts reads it.
interface Packed {
  readonly path: string;
  readonly sha256: string;
  readonly place?: readonly number[];
}

function pack(files: ReadonlyMap<string, string>, packing: Packing) {
  const contents: Buffer[] = [];
  let to = 0;
  const list = [...files].map(([path, file]): Packed => {
    const content = readFileSync(file);
    const packed = { path, sha256: createHash('sha256').update(content).digest('hex') };
    // It has Brotli's format on disk, too.
    if (path.endsWith('.br')) return packed;
    contents.push(content);
    const from = to;
    to += content.length;
    return { ...packed, place: [from, to] };
  });
  return { list, archive: compressed(Buffer.concat(contents), packing) };
}
