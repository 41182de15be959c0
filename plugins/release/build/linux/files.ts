import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { manualOf } from './manual.ts';
import { settingsOf, unitOf } from './units.ts';

/** The name of the packages; their command is `orb`. */
export const packageName = 'agent-orb-platform';

/** What the files are made of. */
export interface PackageScope {
  /** The folder of the checkout. */
  readonly root: string;
  readonly version: string;
  readonly epoch: number;
  readonly maintainer: string;
  /** The files of what is in the package: the program, and the licences of its parts. */
  readonly executable: string;
  readonly notice: string;
}

/** One file of a package. */
export interface PackagedFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly mode?: number;
  /** An operator may change it, and an upgrade keeps the changes. */
  readonly settings?: true;
  /** The only kind of package that has it. */
  readonly only?: 'deb' | 'rpm';
}

/** Lists the files of a package. */
export function packagedFiles(release: PackageScope): readonly PackagedFile[] {
  const { executable, notice, root } = release;
  // The checkout prints the same as the executable, which may be of another processor.
  const completion = (shell: string): string =>
    execFileSync(process.execPath, [join(root, 'kernel/orb.js'), 'completion', shell], { encoding: 'utf8' });
  const zsh = completion('zsh');
  const documents = `usr/share/doc/${packageName}`;
  return [
    { path: 'usr/bin/orb', content: readFileSync(executable), mode: 0o755 },
    { path: 'usr/lib/systemd/system/orb.service', content: unitOf(root, 'orb.service') },
    { path: 'usr/lib/systemd/system/orb@.service', content: unitOf(root, 'orb@.service') },
    { path: 'etc/orb/platform.json', content: settingsOf(root), settings: true },
    { path: 'usr/share/bash-completion/completions/orb', content: completion('bash') },
    { path: 'usr/share/fish/vendor_completions.d/orb.fish', content: completion('fish') },
    { path: 'usr/share/zsh/vendor-completions/_orb', content: zsh, only: 'deb' },
    { path: 'usr/share/zsh/site-functions/_orb', content: zsh, only: 'rpm' },
    { path: 'usr/share/man/man1/orb.1.gz', content: packed(manualOf(release)) },
    { path: `${documents}/NOTICE`, content: readFileSync(notice) },
    { path: `${documents}/copyright`, content: copyright, only: 'deb' },
    { path: `${documents}/changelog.gz`, content: packed(changelog(release)), only: 'deb' },
    { path: `usr/share/lintian/overrides/${packageName}`, content: overrides, only: 'deb' },
    { path: `usr/share/licenses/${packageName}/LICENSE`, content: readFileSync(join(root, 'LICENSE')), only: 'rpm' },
    { path: `${documents}/CHANGELOG.md.gz`, content: packed(readFileSync(join(root, 'CHANGELOG.md'))) },
  ];
}

function packed(content: string | Uint8Array): Uint8Array {
  return gzipSync(content, { level: 9 });
}

const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Agent Orb Platform

Files: *
Copyright: 2026 The authors of Agent Orb Platform
License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
`;

// The runtime inside the executable is built by its own project, with its own copies of libraries.
const overrides = `${packageName} binary: embedded-library
`;

function changelog({ epoch, maintainer, version }: PackageScope): string {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  const change = `  * Release ${version}: CHANGELOG.md in this folder says what changed.`;
  return `${packageName} (${version}) stable; urgency=medium\n\n${change}\n\n -- ${maintainer}  ${date}\n`;
}
