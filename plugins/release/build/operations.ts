import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipped, tarball } from '../../kit/packages/tar.ts';
import type { Release } from './release.ts';

const name = 'agent-orb-platform';
const composeFiles = ['compose.yaml', 'compose.ha.yaml', 'compose.ha.haproxy.cfg', 'compose.ha.platform.json'];
// Their names in the release, and in the folder of the checkout that the program ships with.
const monitoringFiles = {
  'prometheus-rules.yml': 'alerts.yml',
  'grafana-dashboard.json': 'dashboard.json',
  'grafana-dashboard-providers.json': 'dashboard-providers.json',
};

/**
 * Writes what operators run and watch servers with: files for Compose, a Helm chart, rules for Prometheus and dashboards
 * for Grafana. The chart names the image by its digest when the step before made it.
 */
export async function operations(release: Release): Promise<void> {
  const { folder, root, version } = release;
  const sources = join(root, 'plugins/release/operations');
  for (const file of composeFiles)
    writeFileSync(join(folder, file), readFileSync(join(sources, file), 'utf8').replaceAll('0.0.0', version));
  for (const [file, from] of Object.entries(monitoringFiles))
    writeFileSync(join(folder, file), readFileSync(join(root, 'plugins/observability/monitoring', from)));
  writeFileSync(join(folder, `${name}-${version}-chart.tgz`), chartOf(release, join(sources, 'chart')));
}

function chartOf({ epoch, folder, root, version }: Release, sources: string): Buffer {
  const digest = imageDigest(join(folder, `${name}-${version}-image.tar`)) ?? '';
  const made: Readonly<Record<string, (text: string) => string>> = {
    'Chart.yaml': (text) => text.replaceAll('0.0.0', version),
    'values.yaml': (text) => text.replace("digest: ''", () => `digest: '${digest}'`),
  };
  const entries = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(sources, path)).isFile())
    .map((path) => {
      const text = readFileSync(join(sources, path), 'utf8');
      return { path: `${name}/${path}`, content: made[path]?.(text) ?? text };
    });
  const licence = { path: `${name}/LICENSE`, content: readFileSync(join(root, 'LICENSE')) };
  return gzipped(tarball([...entries, licence], epoch));
}

// A registry that the archive is pushed to shows the same one: that of the index of all processors.
function imageDigest(archive: string): string | undefined {
  if (!existsSync(archive)) return undefined;
  const index = execFileSync('tar', ['-xOf', archive, 'index.json'], { encoding: 'utf8' });
  const { manifests } = JSON.parse(index) as { readonly manifests: readonly { readonly digest: string }[] };
  return manifests[0]?.digest;
}
