import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TargetName } from '../../kit/binary/targets.ts';
import { bundledParts } from './bundled.ts';
import { bomOf } from './parts/cyclonedx.ts';
import type { Release } from './release.ts';

/** Writes what the executable of each system holds, as CycloneDX 1.6. */
export function sbom(release: Release): Promise<void> {
  for (const target of release.targets) {
    const file = join(release.folder, `orb-${release.version}-${target}.cdx.json`);
    writeFileSync(file, sbomOf(release, target));
  }
  return Promise.resolve();
}

/** Makes the document of the executable of a system, which also holds it. */
export function sbomOf(release: Release, target: TargetName): string {
  const bom = bomOf(bundledParts(release, target), { ...release, target });
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}
