import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipLevels } from '../../kit/packages/tar.ts';
import type { Architecture } from './image/debian.ts';
import { packagedFiles, packageName, type PackagedFile } from './linux/files.ts';
import { nfpmProgram } from './linux/nfpm.ts';
import { scripts } from './linux/scripts.ts';
import { linuxExecutables, releasedFile, type Release } from './release.ts';

/** Writes the deb and the rpm of each processor whose executable is there. */
export async function packages(release: Release): Promise<void> {
  const { epoch, folder, root, version, work } = release;
  const nfpm = nfpmProgram(root);
  const notice = releasedFile(release, 'NOTICE', 'notice');
  for (const { architecture, path: executable } of linuxExecutables(release)) {
    const stage = join(work, `packages-${architecture}`);
    rmSync(stage, { recursive: true, force: true });
    const contents = packagedFiles({ ...release, executable, notice }).map((file) => staged(stage, file, epoch));
    const config = join(stage, 'nfpm.yaml');
    // JSON is YAML, too.
    writeFileSync(config, JSON.stringify(configOf(release, architecture, { stage, contents })));
    const names = {
      deb: `${packageName}_${version}_${architecture}.deb`,
      rpm: `${packageName}-${version}-1.${rpmNames[architecture]}.rpm`,
    };
    for (const [packager, name] of Object.entries(names))
      execFileSync(nfpm, ['package', '--config', config, '--packager', packager, '--target', join(folder, name)], {
        env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
  }
}

const rpmNames: Readonly<Record<Architecture, string>> = { amd64: 'x86_64', arm64: 'aarch64' };

interface Staged {
  readonly stage: string;
  readonly contents: readonly object[];
}

function configOf(release: Release, arch: Architecture, { contents, stage }: Staged): object {
  const { epoch, maintainer, packing, version } = release;
  const compression = `gzip:${gzipLevels[packing]}`;
  return {
    ...{ name: packageName, version, arch, platform: 'linux', maintainer, license: 'Apache-2.0', section: 'net' },
    description: [
      'Runs Orbs through hot-swappable providers with signed receipts',
      'Lets apps and AI agents send e-mail, call APIs and use tools through one',
      'server. Policies decide what is allowed, providers can be replaced without',
      'downtime, and every call returns a receipt that anyone can verify offline.',
    ].join('\n'),
    mtime: timeOf(epoch),
    contents,
    scripts: Object.fromEntries(Object.entries(scripts).map(([name, text]) => [name, script(stage, name, text)])),
    overrides: {
      deb: { depends: ['libc6 (>= 2.28)', 'libstdc++6', 'ca-certificates'] },
      rpm: { depends: ['glibc >= 2.28', 'libstdc++', 'ca-certificates'] },
    },
    deb: { compression },
    rpm: { compression, buildhost: 'localhost', summary: 'Runs Orbs through hot-swappable providers' },
  };
}

/** Writes a file for nfpm to read, and says where it belongs in the package. */
function staged(stage: string, { content, mode = 0o644, only, path, settings }: PackagedFile, epoch: number): object {
  const src = join(stage, 'files', path);
  mkdirSync(dirname(src), { recursive: true });
  writeFileSync(src, content);
  return {
    ...{ src, dst: `/${path}`, file_info: { mode, owner: 'root', group: 'root', mtime: timeOf(epoch) } },
    ...(only === undefined ? {} : { packager: only }),
    ...(settings === undefined ? {} : { type: 'config|noreplace' }),
  };
}

function script(stage: string, name: string, text: string): string {
  writeFileSync(join(stage, name), text);
  return join(stage, name);
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
