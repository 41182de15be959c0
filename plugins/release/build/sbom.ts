import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TargetName } from '../../kit/binary/targets.ts';
import { bundledParts } from './bundled.ts';
import { bomOf, type Described } from './parts/cyclonedx.ts';
import type { Release } from './release.ts';

/** Writes what the executable of each system holds, as CycloneDX 1.6. */
export function sbom(release: Release): Promise<void> {
  for (const target of release.targets) {
    const file = join(release.folder, `orb-${release.version}-${target}.cdx.json`);
    writeFileSync(file, sbomOf(release, target, { commit: release.commit, epoch: release.epoch }));
  }
  return Promise.resolve();
}

/** Makes the list of an executable; what the executable itself holds names no `source`, so that the same parts give the same bytes. */
export function sbomOf(release: Release, target: TargetName, source?: Described['source']): string {
  const { version } = release;
  const described = source === undefined ? { version, target } : { version, target, source };
  return `${JSON.stringify(bomOf(bundledParts(release, target), described), undefined, 2)}\n`;
}
