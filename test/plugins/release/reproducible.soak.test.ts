import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { build, built } from './built.ts';

// RELEASE_SOAK=1: those of all systems, with their archives.
const isWhole = process.env['RELEASE_SOAK'] === '1';
const chosen = isWhole ? ['--only', 'archives'] : ['--target', 'linux-x64'];
const nobody = 65534;
const epoch = '1700000000';

describe('a release that is built again', function () {
  this.timeout(3_600_000);
  let checkout: string;
  before(function () {
    build(this, 'executables');
    // On the same disk: what is installed is shared by hard links.
    checkout = mkdtempSync(join(packageDir, 'dist/again-'));
  });
  after(() => rmSync(checkout, { recursive: true, force: true }));

  it('has the same bytes in another folder, of another user, in another time zone and at another time', () => {
    const words = ['plugins/release/build/main.ts', '--only', 'executables', ...chosen];
    const run = (cwd: string, env: Readonly<Record<string, string>>, user: object): void =>
      void execFileSync(process.execPath, [join(cwd, words[0] ?? ''), ...words.slice(1)], {
        ...{ cwd, stdio: ['ignore', 'ignore', 'inherit'], ...user },
        env: { ...process.env, SOURCE_DATE_EPOCH: epoch, ...env },
      });
    copyCheckout(checkout);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, checkout]);
    execFileSync('cp', ['-al', join(packageDir, 'node_modules'), checkout]);
    const clock = pathToFileURL(join(packageDir, 'test/helpers/clock-ahead.ts')).href;
    const ahead = { NODE_OPTIONS: `--import=${clock}`, TEST_CLOCK_AHEAD_MS: String(40 * 24 * 3600 * 1000) };
    run(packageDir, {}, {});
    const other = { TZ: 'Asia/Tokyo', LC_ALL: 'C', HOME: checkout, TMPDIR: join(checkout, 'dist'), ...ahead };
    run(checkout, other, isRoot ? { uid: nobody, gid: nobody } : {});
    const [here, there] = [digests(packageDir), digests(checkout)];
    expect(Object.keys(there)).to.have.length.at.least(isWhole ? 7 : 1);
    for (const [name, digest] of Object.entries(there)) expect([name, here[name]]).to.deep.equal([name, digest]);
  });
});

/** Copies the files that git knows or would add, with a history, what Go built, and the runtimes. */
function copyCheckout(to: string): void {
  const git = (cwd: string, ...words: readonly string[]): string =>
    execFileSync('git', words, { cwd, encoding: 'utf8' });
  git(packageDir, 'clone', '--quiet', '--shared', '--no-checkout', packageDir, to);
  const files = git(packageDir, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const file of files.filter((one) => one !== '')) cpSync(join(packageDir, file), join(to, file));
  mkdirSync(join(to, 'dist'));
  for (const name of readdirSync(join(packageDir, 'dist')).filter((one) => /^(?:policy-compiler-|runtimes$)/.test(one)))
    cpSync(join(packageDir, 'dist', name), join(to, 'dist', name), { recursive: true });
  chmodSync(to, 0o755);
}

function digests(root: string): Readonly<Record<string, string>> {
  const place = join(root, (isWhole ? built.folder : built.work).slice(packageDir.length));
  const names = globSync(['executables/*/orb*', 'orb-*'], { cwd: place }).sort();
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(place, name)))
        .digest('hex'),
    ]),
  );
}
