// npm run release: builds all files of a release in dist/release/<version>.
//   --only STEP        one step; may be given again. A whole release begins with an empty folder
//   --target SYSTEM    the executables of one system; may be given again
//   --quick            pack for speed and not for size, as tests do: it is no release
//   --fetch FOLDER     bring all that a release downloads into a folder, and build nothing
//   --offline FOLDER   take it from there, and download nothing
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archives } from './archives.ts';
import { checksums } from './checksums.ts';
import { executables } from './executables.ts';
import { fetchAll, offlineEnvironment } from './fetch.ts';
import { image } from './image.ts';
import { npm } from './npm.ts';
import { notice } from './notice.ts';
import { operations } from './operations.ts';
import { packages } from './packages.ts';
import { allTargets, releaseOf, unnamedMaintainer, type Release, type ReleaseChoice } from './release.ts';
import { sbom } from './sbom.ts';
import { statement } from './statement.ts';

// In their order: a step may need the files of those before it.
const steps: Readonly<Record<string, (release: Release) => Promise<void>>> = {
  executables,
  sbom,
  notice,
  archives,
  npm,
  packages,
  image,
  operations,
  // The last two are about all other files.
  checksums,
  statement,
};

await main().catch((error: unknown) => {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { fetched, only, ...choice } = words();
  const root = resolve(import.meta.dirname, '../../..');
  if (fetched !== undefined) return fetchAll(root, fetched);
  const release = releaseOf(root, choice);
  if (release.offline !== undefined) Object.assign(process.env, offlineEnvironment(release.offline));
  if (execFileSync('git', ['status', '--porcelain'], { cwd: release.root }).length > 0)
    console.error('release: the checkout has changes that are not in its commit');
  if (release.maintainer === unnamedMaintainer)
    console.error('release: ORB_RELEASE_MAINTAINER is not set: the packages of Linux name no maintainer');
  if (only.length === 0)
    for (const folder of [release.folder, release.work]) rmSync(folder, { recursive: true, force: true });
  for (const folder of [release.folder, release.work]) mkdirSync(folder, { recursive: true });
  for (const [name, step] of Object.entries(steps)) {
    if (only.length > 0 && !only.includes(name)) continue;
    console.log(`release: ${name}`);
    await step(release);
  }
}

function words(): ReleaseChoice & { readonly only: readonly string[]; readonly fetched?: string } {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      target: { type: 'string', multiple: true, default: [...allTargets] },
      fetch: { type: 'string' },
      offline: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const unknown = values.only.find((name) => !(name in steps));
  if (unknown !== undefined)
    throw new Error(`there is no step "${unknown}"; the steps are ${Object.keys(steps).join(', ')}`);
  const chosen = allTargets.filter((name) => values.target.includes(name));
  if (chosen.length < new Set(values.target).size) throw new Error(`--target takes one of ${allTargets.join(', ')}`);
  const { fetch: fetched, offline, quick } = values;
  return {
    ...{ only: values.only, targets: chosen, packing: quick ? 'quick' : 'smallest' },
    ...(fetched === undefined ? {} : { fetched: resolve(fetched) }),
    ...(offline === undefined ? {} : { offline: resolve(offline) }),
  };
}
