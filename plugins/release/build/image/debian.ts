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
import { join, resolve } from 'node:path';

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
  writeFileSync(join(apt, 'apt.conf'), configuration(apt, architecture));
  const run = (...words: readonly string[]): Buffer =>
    execFileSync('apt-get', ['-c', join(apt, 'apt.conf'), '-qq', ...words], {
      cwd: join(folder, 'files'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  try {
    run('update');
    run('download', ...names);
  } catch {
    throw new Error(
      `the apt sources of this machine do not offer what is pinned of ${suite}: ORB_RELEASE_APT_SOURCES names a file with ` +
        'others, and `node plugins/release/build/image/pin.ts` pins what they offer now',
    );
  }
  return readdirSync(join(folder, 'files')).map((name) => join(folder, 'files', name));
}

// Lists and files of another processor must not mix with those of this system, nor be cleared with them. Of all sources
// only those of the suite are preferred: apt_preferences(5).
function configuration(apt: string, architecture: Architecture): string {
  const sources = process.env['ORB_RELEASE_APT_SOURCES'];
  return `APT::Architecture "${architecture}";
#clear APT::Architectures;
APT::Architectures { "${architecture}"; };
#clear APT::Update;
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "${apt}/state";
Dir::State::status "${apt}/status";
Dir::Cache "${apt}/cache";
APT::Default-Release "/^${suite}(|-updates|-security)$/";
${sources === undefined ? '' : `Dir::Etc::SourceList "${resolve(sources)}";\nDir::Etc::SourceParts "/dev/null";\n`}`;
}

/** Computes the SHA-256 of a file, 64 hex digits. */
export function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Reads the control fields of a package; all of them without `fields`. */
export function controlOf(file: string, ...fields: readonly string[]): string {
  return execFileSync('dpkg-deb', ['--field', file, ...fields], { encoding: 'utf8' });
}
