import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { version } from '../../../kernel/tools/version.ts';
import { targets, type TargetName } from '../../../plugins/kit/binary/targets.ts';
import { allTargets } from '../../../plugins/release/build/release.ts';
import { packageDir } from '../../helpers/folder.ts';
import { leaveOutBecause } from '../../helpers/needs.ts';
import { built, needBuilder } from './built.ts';
import { copyCheckout } from './checkout-copy.ts';
import { executableParts } from './executable-parts.ts';

// RELEASE_SOAK=1: the files of all systems, with packages and image. RELEASE_BUILDS: how often each place builds.
const isWhole = process.env['RELEASE_SOAK'] === '1';
const rounds = Number(process.env['RELEASE_BUILDS'] ?? 1);
const words = isWhole ? [] : ['--only', 'executables', '--target', 'linux-x64'];
const nobody = 65534;
const main = 'plugins/release/build/main.ts';

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
    needBuilder(this);
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

  it('is complete, and its own executable verifies it', function () {
    if (!isWhole) leaveOutBecause(this, 'RELEASE_SOAK=1 builds all of it');
    const [root = ''] = roots;
    const folder = placeIn(root, built.folder);
    const key = join(root, 'dist/release.key');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    execFileSync(process.execPath, [join(root, main), '--only', 'statement'], {
      ...{ cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ORB_RELEASE_KEY: key } },
    });
    expect(readdirSync(folder).sort()).to.deep.equal([...wholeRelease].sort());
    const orb = join(folder, `orb-${version}-linux-x64`);
    const words = ['verify-release', folder, '--key', join(folder, '../log/key.pem')];
    const { status, stderr, stdout } = spawnSync(orb, words, { cwd: root, env: {}, encoding: 'utf8' });
    expect([status, stdout.trim().split('\n').at(-1)], stdout + stderr).to.deep.equal([0, 'VERIFIED']);
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder, stdio: 'ignore' });
  });
});

const program = `orb-${version}`;
const name = 'agent-orb-platform';
const wholeRelease = [
  ...allTargets.map((target) => `${program}-${target}.cdx.json`),
  ...['', '.tar.gz', '.tar.zst'].map((ending) => `${program}-linux-x64${ending}`),
  ...['linux-arm64.tar.gz', 'linux-arm64.tar.zst', 'darwin-arm64.tar.gz', 'win-x64.zip'].map(
    (file) => `${program}-${file}`,
  ),
  ...['.tgz', '-chart.tgz', '-image.tar'].map((ending) => `${name}-${version}${ending}`),
  ...['amd64', 'arm64'].map((processor) => `${name}_${version}_${processor}.deb`),
  ...['x86_64', 'aarch64'].map((processor) => `${name}-${version}-1.${processor}.rpm`),
  ...['compose.yaml', 'compose.ha.yaml', 'compose.ha.haproxy.cfg', 'compose.ha.platform.json'],
  ...['prometheus-rules.yml', 'grafana-dashboard.json', 'grafana-dashboard-providers.json'],
  ...['NOTICE', 'SHA256SUMS', 'release.json', 'release.tlog-proof'],
];

/** Finds a folder of this checkout in a copy of it. */
function placeIn(root: string, folder: string): string {
  return join(root, folder.slice(packageDir.length));
}

function buildIn({ env, root, umask, user }: Place): void {
  // What a build keeps for the next one.
  for (const name of ['clients', 'kit', 'release', 'release-work'])
    rmSync(join(root, 'dist', name), { recursive: true, force: true });
  const command = [process.execPath, join(root, main), ...words];
  execFileSync('sh', ['-c', 'umask "$1"; shift; exec "$@"', 'sh', umask, ...command], {
    ...{ cwd: root, stdio: ['ignore', 'ignore', 'inherit'], ...user },
    env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000', ...env },
  });
}

/** Computes the digest of each file of a release, and of the parts of each executable. */
function digests(root: string): Readonly<Record<string, string>> {
  const [work, folder] = [placeIn(root, built.work), placeIn(root, built.folder)];
  const executables = globSync('executables/*/orb{,.exe}', { cwd: work }).flatMap((name) => {
    const target = name.split('/')[1] as TargetName;
    const parts = executableParts(targets[target], readFileSync(join(work, name)));
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
