import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestsOf, releasedFiles } from '../verify/files.ts';

const checksumFile = 'SHA256SUMS';

/** Writes the SHA-256 of each file of the release, as `sha256sum -c` reads them. */
export async function checksums({ folder }: { readonly folder: string }): Promise<void> {
  const lines: string[] = [];
  for (const name of await releasedFiles(folder))
    if (name !== checksumFile) lines.push(`${(await digestsOf(join(folder, name))).sha256}  ${name}\n`);
  writeFileSync(join(folder, checksumFile), lines.join(''));
}
