import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { makeBlob } from '../../kit/binary/blob.ts';
import { noteBundled } from './bundled.ts';
import { driver, writeContents } from '../../kit/binary/contents.ts';
import { writeExecutable } from '../../kit/binary/executable.ts';
import { targets } from '../../kit/binary/targets.ts';
import { sbomAsset } from '../node/sbom-asset.ts';
import { executablePath, type Release } from './release.ts';
import { runtimeOf } from './runtimes.ts';
import { sbomOf } from './sbom.ts';

/**
 * Builds the executable of each system: the contents are the same, with the addon and the runtime of the system. One that
 * was built of the same parts stays as it is.
 */
export async function executables(release: Release): Promise<void> {
  const { root, work } = release;
  const dir = mkdtempSync(join(work, 'contents-'));
  try {
    const packages = await writeContents(root, dir, { withLocalFiles: false });
    await noteBundled(release, packages);
    const contents = digestOf(dir, join(root, 'plugins/kit/binary'), join(root, 'package.json'));
    for (const name of release.targets) {
      const file = executablePath(release, name);
      const { maker, runtime } = runtimeOf(release, name);
      const target = targets[name];
      const addon = join(root, driver, 'prebuilds', `${target.prebuild}.node`);
      // A file of Brotli's format stays an asset of its own, which `orb version` reads without unpacking the others.
      writeFileSync(join(dir, 'files', sbomAsset), brotliCompressSync(sbomOf(release, name)));
      const parts = `${contents} ${digestOf(runtime, maker, addon, join(dir, 'files', sbomAsset))}`;
      const stamp = join(dirname(file), 'parts.sha256');
      if (existsSync(stamp) && existsSync(file) && readFileSync(stamp, 'utf8') === parts) continue;
      const blob = makeBlob(root, dir, { prebuild: target.prebuild, maker, codeCache: false });
      writeExecutable(root, file, { target, runtime, maker, blob });
      writeFileSync(stamp, parts);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Answers the digest of files, and of all files in folders, by name and content. */
function digestOf(...paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    const files = statSync(path).isDirectory() ? (readdirSync(path, { recursive: true }) as string[]) : [''];
    for (const file of files.sort()) {
      const place = join(path, file);
      if (statSync(place).isFile()) hash.update(`${file}\0${statSync(place).size}\0`).update(readFileSync(place));
    }
  }
  return hash.digest('hex');
}
