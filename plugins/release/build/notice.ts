import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledParts } from './bundled.ts';
import { noticeOf } from './parts/notice-page.ts';
import type { Release } from './release.ts';

/** Writes the licences of all that the executables hold, with their texts. */
export function notice(release: Release): Promise<void> {
  const parts = new Map(
    release.targets.flatMap((target) => bundledParts(release, target).map((part) => [part.purl, part] as const)),
  );
  writeFileSync(join(release.folder, 'NOTICE'), noticeOf([...parts.values()], release.version));
  return Promise.resolve();
}
