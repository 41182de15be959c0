import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { makeBlob } from '../../kit/binary/blob.ts';
import { writeContents } from '../../kit/binary/contents.ts';
import { writeExecutable } from '../../kit/binary/executable.ts';
import { targets, type TargetName } from '../../kit/binary/targets.ts';
import { sourcesDigest } from '../../kit/packages/built-folder.ts';
import { sbomAsset } from '../node/sbom-asset.ts';
import { isNoted, noteBundled } from './bundled.ts';
import { executablePath, type Release } from './release.ts';
import { runtimeOf } from './runtimes.ts';
import { sbomOf } from './sbom.ts';

// Of these files an executable is made, and of what the lock file names.
const sources = {
  from: ['data', 'kernel', 'plugins', 'policies', 'providers', 'package.json', 'package-lock.json'],
  includes: (path: string) => !path.startsWith('data/state'),
};
const stampName = 'sources.sha256';

/**
 * Builds the executable of each system: the contents are the same, with the addon and the runtime of the system. One that
 * was built of the same sources stays as it is.
 */
export async function executables(release: Release): Promise<void> {
  const { packing, root, work } = release;
  const digest = `${sourcesDigest(root, sources)} ${packing}`;
  const stampOf = (name: TargetName): string => join(dirname(executablePath(release, name)), stampName);
  const isBuilt = (name: TargetName): boolean =>
    existsSync(executablePath(release, name)) &&
    existsSync(stampOf(name)) &&
    readFileSync(stampOf(name), 'utf8') === digest;
  const missing = release.targets.filter((name) => !isBuilt(name));
  if (missing.length === 0 && isNoted(release)) return;
  const dir = mkdtempSync(join(work, 'contents-'));
  try {
    noteBundled(release, await writeContents(root, dir, { withLocalFiles: false, packing }));
    for (const name of missing) {
      const { maker, runtime } = runtimeOf(release, name);
      // A file of Brotli's format stays an asset of its own, which `orb version` reads without unpacking the others.
      writeFileSync(join(dir, 'files', sbomAsset), brotliCompressSync(sbomOf(release, name)));
      // Compiled code is for the runtime that compiled it.
      const { prebuild } = targets[name];
      const blob = makeBlob(root, dir, { prebuild, maker, codeCache: runtime === maker, packing });
      writeExecutable(root, executablePath(release, name), { target: targets[name], runtime, maker, blob });
      writeFileSync(stampOf(name), digest);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
