import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { targets, type TargetName } from '../../../plugins/kit/binary/targets.ts';
import { packageDir } from '../../helpers/folder.ts';
import { build, built } from './built.ts';
import { copyCheckout } from './checkout-copy.ts';
import { executableParts } from './executable-parts.ts';

// RELEASE_SOAK=1: the files of all systems, with packages and image. RELEASE_BUILDS: how often each place builds.
const isWhole = process.env['RELEASE_SOAK'] === '1';
const rounds = Number(process.env['RELEASE_BUILDS'] ?? 1);
const words = isWhole ? [] : ['--only', 'executables', '--target', 'linux-x64'];
const nobody = 65534;

/** A copy of the checkout, and what differs where it is built. */
interface Place {
  readonly root: string;
  readonly umask: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: { readonly uid?: number; readonly gid?: number };
}

describe('a release that is built again', function () {
  this.timeout(7_200_000);
  const roots: string[] = [];
  before(function () {
    build(this);
    // On the same disk: what is installed is shared by hard links.
    for (const name of ['here', 'elsewhere']) roots.push(mkdtempSync(join(packageDir, `dist/again-${name}-`)));
  });
  after(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  });

  it('has the same bytes in another folder, of another user, in another time zone and at another time', () => {
    const [here = '', elsewhere = ''] = roots;
    const clock = pathToFileURL(join(packageDir, 'test/helpers/clock-ahead.ts')).href;
    const ahead = { NODE_OPTIONS: `--import=${clock}`, TEST_CLOCK_AHEAD_MS: String(40 * 24 * 3600 * 1000) };
    const other = { TZ: 'Asia/Tokyo', LC_ALL: 'C', HOME: elsewhere, TMPDIR: join(elsewhere, 'dist'), ...ahead };
    const places: readonly Place[] = [
      { root: here, umask: '022', env: {}, user: {} },
      { root: elsewhere, umask: '077', env: other, user: process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {} },
    ];
    for (const { root, user } of places) copyCheckout(root, user);
    let first: Readonly<Record<string, string>> | undefined;
    for (let round = 0; round < rounds; round += 1)
      for (const place of places) {
        buildIn(place);
        const found = digests(place.root);
        expect(Object.keys(found)).to.have.length.at.least(isWhole ? 12 : 1);
        expect(found, `build ${round + 1} in ${place.root}`).to.deep.equal((first ??= found));
        console.log(`      build ${round + 1} in ${place.root}: ${found['executables/linux-x64/orb: executable']}`);
      }
  });
});

function buildIn({ env, root, umask, user }: Place): void {
  // What a build keeps for the next one.
  for (const name of ['clients', 'kit', 'release', 'release-work'])
    rmSync(join(root, 'dist', name), { recursive: true, force: true });
  const command = [process.execPath, join(root, 'plugins/release/build/main.ts'), ...words];
  execFileSync('sh', ['-c', 'umask "$1"; shift; exec "$@"', 'sh', umask, ...command], {
    ...{ cwd: root, stdio: ['ignore', 'ignore', 'inherit'], ...user },
    env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000', ...env },
  });
}

/** Computes the digest of each file of a release, and of the parts of each executable. */
function digests(root: string): Readonly<Record<string, string>> {
  const [work, folder] = [built.work, built.folder].map((place) => join(root, place.slice(packageDir.length)));
  const executables = globSync('executables/*/orb{,.exe}', { cwd: work }).flatMap((name) => {
    const target = name.split('/')[1] as TargetName;
    const parts = executableParts(targets[target], readFileSync(join(work ?? '', name)));
    return Object.entries(parts).map(([part, digest]) => [`${name}: ${part}`, digest]);
  });
  const files = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, digestOf(join(entry.parentPath, entry.name))]);
  return Object.fromEntries([...executables, ...files].sort(([one = ''], [next = '']) => (one < next ? -1 : 1)));
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
