import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { targets, type Target, type TargetName } from '../../kit/binary/targets.ts';
import { gzipped, tarball, zstandard, type Entry } from '../../kit/packages/tar.ts';
import { zip } from '../../kit/packages/zip.ts';
import { manualOf } from './linux/manual.ts';
import { executableOf, releasedFile, type Release } from './release.ts';

// What a user of linux-x64 has to download and to keep.
const most = { executable: 125_000_000, archive: 45_000_000 };

/**
 * Packs each executable with its licence and a page on its start: for Windows as ZIP, else with gzip, which every system
 * unpacks, and for Linux also with Zstandard, which makes a fifth less. The executable for linux-x64 is a file of its
 * own, too.
 */
export async function archives(release: Release): Promise<void> {
  const { folder, packing, version } = release;
  // A fast archive is larger than one that is released.
  const bounded = packing === 'smallest' ? bound : () => undefined;
  for (const name of release.targets) {
    const base = `orb-${version}-${name}`;
    if (name === 'linux-x64') {
      copyFileSync(executableOf(release, name), join(folder, base));
      bounded(join(folder, base), most.executable);
    }
    const write = (ending: string, bytes: Uint8Array): void => writeFileSync(join(folder, `${base}${ending}`), bytes);
    if (name.startsWith('win-'))
      write('.zip', zip(filesOf(release, name).map(({ content = '', path }) => ({ path, content }))));
    else write('.tar.gz', gzipped(archiveOf(release, name), packing));
    if (name.startsWith('linux-')) write('.tar.zst', zstandard(archiveOf(release, name)));
    if (name === 'linux-x64') bounded(join(folder, `${base}.tar.zst`), most.archive);
  }
}

/** Makes the archive of a system as it is before it is compressed. */
export function archiveOf(release: Release, name: TargetName): Buffer {
  return tarball(filesOf(release, name), release.epoch);
}

function filesOf(release: Release, name: TargetName): readonly Entry[] {
  const { root, version } = release;
  const target: Target = targets[name];
  const text = (path: string): Buffer => readFileSync(join(root, path));
  const units = name.startsWith('linux-') ? ['orb.service', 'orb@.service'] : [];
  const files = [
    { path: target.program, content: readFileSync(executableOf(release, name)), mode: 0o755 },
    { path: 'LICENSE', content: text('LICENSE') },
    { path: 'README.md', content: page(text('plugins/release/build/archive.md').toString(), release, name) },
    { path: 'NOTICE', content: readFileSync(releasedFile(release, 'NOTICE', 'notice')) },
    ...(name.startsWith('win-') ? [] : [{ path: 'man/orb.1', content: manualOf(release) }]),
    ...units.map((unit) => ({ path: `systemd/${unit}`, content: text(`kernel/binary/${unit}`) })),
  ];
  return files.map((entry) => ({ ...entry, path: `orb-${version}-${name}/${entry.path}` }));
}

function page(template: string, { version }: Release, name: TargetName): string {
  const target: Target = targets[name];
  const { program } = target;
  const parts = { systemd: name.startsWith('linux-'), preview: target.preview === true };
  const words = { version, target: name, program, run: name.startsWith('win-') ? `.\\${program}` : `./${program}` };
  return template
    .replaceAll(/\{\{#(\w+)\}\}\n([^]*?)\{\{\/\1\}\}\n/g, (_, part: keyof typeof parts, text: string) =>
      parts[part] ? text : '',
    )
    .replaceAll(/\{\{(\w+)\}\}/g, (_, word: keyof typeof words) => words[word]);
}

function bound(file: string, bytes: number): void {
  const { size } = statSync(file);
  if (size > bytes) throw new Error(`${file} has ${size} bytes; at most ${bytes} are allowed`);
}
