import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A processor, as Debian and OCI name it. */
export type Architecture = 'amd64' | 'arm64';

/** A package of Debian, pinned by version and digest. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

/** The release of Debian that the packages are of. */
export const suite = 'bookworm';

/**
 * Brings pinned packages into the folder `cache` and lists their files; each is checked by its digest. Offline, all of them
 * must be there.
 */
export function fetchPackages(
  cache: string,
  architecture: Architecture,
  wanted: readonly PinnedPackage[],
  isOffline = false,
): readonly string[] {
  const place = ({ sha256 }: PinnedPackage): string => join(cache, `${sha256}.deb`);
  const isThere = (one: PinnedPackage): boolean => existsSync(place(one)) && digestOf(place(one)) === one.sha256;
  const missing = wanted.filter((one) => !isThere(one));
  if (isOffline && missing.length > 0) {
    const files = missing.map((one) => `${one.sha256}.deb (${one.name} ${one.version})`);
    throw new Error(`${cache} does not hold ${files.join(', ')}`);
  }
  if (missing.length === 0) return wanted.map(place);
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'download-'));
  try {
    const names = missing.map(({ name, version }) => `${name}=${version}`);
    for (const file of downloadPackages(folder, architecture, names))
      renameSync(file, join(cache, `${digestOf(file)}.deb`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const absent = missing.filter((one) => !isThere(one)).map(({ name, version }) => `${name} ${version}`);
  if (absent.length > 0) throw new Error(`Debian offers other files than the pinned ones: ${absent.join(', ')}`);
  return wanted.map(place);
}

/** Downloads packages, `name` or `name=version`, by apt with a configuration of its own, and lists the files. */
export function downloadPackages(
  folder: string,
  architecture: Architecture,
  names: readonly string[],
): readonly string[] {
  for (const part of ['apt/state/lists/partial', 'apt/cache/archives/partial', 'files'])
    mkdirSync(join(folder, part), { recursive: true });
  const apt = join(folder, 'apt');
  writeFileSync(join(apt, 'status'), '');
  writeFileSync(join(apt, 'sources.list'), sources);
  writeFileSync(join(apt, 'apt.conf'), configuration(apt, architecture));
  const run = (...words: readonly string[]): Buffer =>
    execFileSync('apt-get', ['-c', join(apt, 'apt.conf'), '-qq', ...words], {
      cwd: join(folder, 'files'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  run('update');
  try {
    run('download', ...names);
  } catch {
    throw new Error('apt-get did not find a pinned version; `node plugins/release/build/image/pin.ts` pins new ones');
  }
  return readdirSync(join(folder, 'files')).map((name) => join(folder, 'files', name));
}

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const sources = [
  `deb [signed-by=${keyring}] http://deb.debian.org/debian ${suite} main`,
  `deb [signed-by=${keyring}] http://deb.debian.org/debian ${suite}-updates main`,
  `deb [signed-by=${keyring}] http://deb.debian.org/debian-security ${suite}-security main`,
].join('\n');

// Lists and files of another processor must not mix with those of this system, nor be cleared with them.
function configuration(apt: string, architecture: Architecture): string {
  return `APT::Architecture "${architecture}";
#clear APT::Architectures;
APT::Architectures { "${architecture}"; };
#clear APT::Update;
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "${apt}/state";
Dir::State::status "${apt}/status";
Dir::Cache "${apt}/cache";
Dir::Etc::SourceList "${apt}/sources.list";
Dir::Etc::SourceParts "/dev/null";
`;
}

/** Computes the SHA-256 of a file, 64 hex digits. */
export function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Reads the control fields of a package; all of them without `fields`. */
export function controlOf(file: string, ...fields: readonly string[]): string {
  return execFileSync('dpkg-deb', ['--field', file, ...fields], { encoding: 'utf8' });
}
