import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipped, tarball, type Entry } from '../../kit/packages/tar.ts';
import base from './image/base.json' with { type: 'json' };
import { fetchPackages } from './image/debian.ts';
import { Layout, type Descriptor } from './image/layout.ts';
import { baseEntries, home, user, withFolders } from './image/root.ts';
import { linuxExecutables, releasedFile, type LinuxExecutable, type Release } from './release.ts';

const name = 'agent-orb-platform';
// Of all files of Debian: their layer stays the same from release to release while the pinned packages do.
const baseSeconds = 0;

/** Writes the OCI image of each processor whose executable is there, as one archive of an image layout. */
export async function image(release: Release): Promise<void> {
  const { epoch, folder, version } = release;
  const layout = new Layout();
  const images = linuxExecutables(release).map((executable) => imageOf(release, layout, executable));
  const facts = { annotations: annotations(release), name: `localhost/${name}`, tag: version };
  writeFileSync(join(folder, `${name}-${version}-image.tar`), tarball(layout.files(images, facts), epoch));
}

function imageOf(release: Release, layout: Layout, { architecture, path, target }: LinuxExecutable): Descriptor {
  const { epoch, offline, packing, root, work } = release;
  const cache = join(offline ?? join(root, 'dist/runtimes'), 'debian');
  const packages = fetchPackages(cache, architecture, base[architecture], offline !== undefined);
  const libraries = baseEntries(packages, join(work, `image-${architecture}`));
  const program = [{ path: 'usr/bin/orb', content: readFileSync(path), mode: 0o755 }, ...documents(release, target)];
  const archives = [tarball(withFolders(libraries), baseSeconds), tarball(withFolders(program), epoch)];
  const layers = archives.map((archive) => layout.layer(archive, gzipped(archive, packing)));
  const created = timeOf(epoch);
  return layout.image(architecture, layers, {
    created,
    config: { ...running, Labels: annotations(release) },
    history: ['libraries of Debian', 'the program'].map((created_by) => ({ created, created_by })),
    annotations: annotations(release),
  });
}

function documents(release: Release, target: string): readonly Entry[] {
  const sources = {
    LICENSE: join(release.root, 'LICENSE'),
    NOTICE: releasedFile(release, 'NOTICE', 'notice'),
    'sbom.cdx.json': releasedFile(release, `orb-${release.version}-${target}.cdx.json`, 'sbom'),
  };
  return Object.entries(sources).map(([title, path]) => ({
    path: `usr/share/doc/${name}/${title}`,
    content: readFileSync(path),
  }));
}

const running = {
  User: `${user}:${user}`,
  ExposedPorts: { '8080/tcp': {} },
  Env: ['PATH=/usr/bin', `ORB_HOME=${home}`, 'ORB_LISTEN=0.0.0.0:8080'],
  Entrypoint: ['/usr/bin/orb'],
  Cmd: ['serve'],
  Volumes: { [home]: {} },
  WorkingDir: home,
  StopSignal: 'SIGTERM',
  // A member of Docker, whose name OCI reserves; times in nanoseconds.
  Healthcheck: { Test: ['CMD', '/usr/bin/orb', 'doctor', '--live'], Interval: 30e9, Timeout: 10e9, StartPeriod: 60e9 },
};

function annotations({ commit, epoch, version }: Release): object {
  const about = {
    title: 'Agent Orb Platform',
    description: 'Runs Orbs through hot-swappable providers and answers each run with a signed trust receipt.',
    version,
    revision: commit,
    created: timeOf(epoch),
    licenses: 'Apache-2.0',
  };
  return Object.fromEntries(Object.entries(about).map(([key, value]) => [`org.opencontainers.image.${key}`, value]));
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
