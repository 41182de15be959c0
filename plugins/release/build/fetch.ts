import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { printedBy } from '../../kit/binary/printed-by.ts';
import base from './image/base.json' with { type: 'json' };
import { fetchPackages } from './image/debian.ts';
import { nfpmSources } from './linux/nfpm.ts';
import { fetchRuntimes } from './runtimes.ts';

/** Brings all that the steps of a release download into a folder, from which `--offline` takes it. */
export function fetchAll(root: string, folder: string): void {
  fetchRuntimes(folder);
  for (const architecture of ['amd64', 'arm64'] as const)
    fetchPackages(join(folder, 'debian'), architecture, base[architecture]);
  const cache = join(folder, 'go-modules');
  const env = { ...process.env, GOMODCACHE: cache, GOFLAGS: '-modcacherw' };
  for (const sources of ['plugins/policy/compiler', nfpmSources])
    printedBy('go', ['mod', 'download'], { cwd: join(root, sources), env });
  rmSync(join(folder, 'go'), { recursive: true, force: true });
  // A cache of modules has the layout of a proxy for modules here.
  renameSync(join(cache, 'cache/download'), join(folder, 'go'));
  rmSync(cache, { recursive: true });
}

/** Answers the environment in which Go and npm take what they need from the folder, and from no network. */
export function offlineEnvironment(folder: string): Readonly<Record<string, string>> {
  return { GOPROXY: pathToFileURL(join(folder, 'go')).href, GOTOOLCHAIN: 'local', npm_config_offline: 'true' };
}
