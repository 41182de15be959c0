import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Entry } from '../../../kit/packages/tar.ts';
import { controlOf } from './debian.ts';

/** The user of the server, who owns its home: a number that no system gives to a person. */
export const user = 65532;
/** The home of the server: its settings, policies and state. */
export const home = '/var/lib/orb';

/** Makes what is below the program: libraries and data of Debian's packages, users, and empty folders. */
export function baseEntries(packages: readonly string[], work: string): readonly Entry[] {
  rmSync(work, { recursive: true, force: true });
  const found = packages.flatMap((file, at) => entriesOf(file, join(work, `${at}`)));
  const isAuthority = ({ path }: Entry): boolean => path.startsWith('usr/share/ca-certificates/');
  const authorities = found.filter(isAuthority).sort((one, other) => (one.path < other.path ? -1 : 1));
  return [
    ...found.filter((entry) => !isAuthority(entry)),
    {
      path: 'etc/ssl/certs/ca-certificates.crt',
      content: Buffer.concat(authorities.map(({ content = '' }) => Buffer.from(content))),
    },
    {
      path: 'etc/passwd',
      content: `root:x:0:0:root:/:/sbin/nologin\norb:x:${user}:${user}:orb:${home}:/sbin/nologin\n`,
    },
    { path: 'etc/group', content: `root:x:0:\norb:x:${user}:\n` },
    // Without it glibc asks the network before the file for the names in /etc/hosts.
    { path: 'etc/nsswitch.conf', content: 'passwd: files\ngroup: files\nhosts: files dns\n' },
    { path: 'tmp/', mode: 0o1777 },
    { path: `${home.slice(1)}/`, mode: 0o700, owner: user },
  ];
}

/** Adds the folders that entries are in. */
export function withFolders(entries: readonly Entry[]): readonly Entry[] {
  const paths = new Set(entries.map(({ path }) => path));
  const folders = new Set<string>();
  for (const { path } of entries)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(`${folder}/`);
  return [...entries, ...[...folders].filter((path) => !paths.has(path)).map((path) => ({ path }))];
}

// Libraries, time zones, the name of the system, licences. Programs are left out, and so are converters of character
// sets, since the runtime has its own, and time zones with leap seconds.
const wanted = [
  /^lib(?:64)?\/(?:[^/]+-linux-gnu\/)?[^/]+$/,
  /^usr\/lib\/[^/]+-linux-gnu\/[^/]+\.so[^/]*$/,
  /^usr\/lib\/os-release$/,
  /^etc\/(?:os-release|debian_version)$/,
  /^usr\/share\/ca-certificates\//,
  /^usr\/share\/doc\/[^/]+(?:\/copyright)?$/,
  /^usr\/share\/zoneinfo\/(?!(?:posix|right)\/)/,
];

function entriesOf(packed: string, folder: string): readonly Entry[] {
  mkdirSync(folder, { recursive: true });
  execFileSync('dpkg-deb', ['--extract', packed, folder]);
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => wanted.some((pattern) => pattern.test(path)))
    .flatMap((path): readonly Entry[] => {
      const about = lstatSync(join(folder, path));
      if (about.isDirectory()) return [];
      if (about.isSymbolicLink()) return [{ path, link: readlinkSync(join(folder, path)) }];
      return [{ path, content: readFileSync(join(folder, path)), mode: (about.mode & 0o111) === 0 ? 0o644 : 0o755 }];
    });
  // Scanners read the versions of an image without a package manager here.
  return [
    ...found,
    { path: `var/lib/dpkg/status.d/${controlOf(packed, 'Package').trim()}`, content: controlOf(packed) },
  ];
}
