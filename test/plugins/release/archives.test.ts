import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { targets } from '../../../plugins/kit/binary/targets.ts';
import { archives } from '../../../plugins/release/build/archives.ts';
import { allTargets, executablePath, releaseOf, type Release } from '../../../plugins/release/build/release.ts';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';

const { version } = releaseOf(packageDir);
const programOf = (target: string): string => `the program for ${target}`;
const documents = ['LICENSE', 'NOTICE', 'README.md'];
const units = ['systemd/orb.service', 'systemd/orb@.service'];

/** What tar and unzip, which are not ours, say of archives of small programs. */
describe('the archives of a release', function () {
  let dir: string;
  let release: Release;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orb-archives-'));
    release = { ...releaseOf(packageDir), folder: join(dir, 'release'), work: join(dir, 'work'), epoch: 1_700_000_000 };
    mkdirSync(release.folder);
    writeFileSync(join(release.folder, 'NOTICE'), 'licences\n');
    for (const target of allTargets) {
      const file = executablePath(release, target);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, programOf(target));
    }
    await archives(release);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const place = (name: string): string => join(release.folder, `orb-${version}-${name}`);
  const said = (command: string, ...words: readonly string[]): string =>
    execFileSync(command, words, { encoding: 'utf8', env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } });

  for (const target of ['linux-x64', 'linux-arm64', 'darwin-arm64'] as const)
    it(`${target}.tar.gz has these names and modes, the time of the commit, and no user`, () => {
      const archive = place(`${target}.tar.gz`);
      const lines = said('tar', '-tvzf', archive, '--numeric-owner', '--full-time').trim().split('\n');
      const rows = lines.map((line) => /^(\S+) (\S+) +\d+ (\S+ \S+) (.*)$/.exec(line)?.slice(1) ?? []);
      const base = `orb-${version}-${target}/`;
      const files = new Map(rows.map(([mode = '', , , path = '']) => [path.slice(base.length), mode]));
      const wanted = [...documents, 'orb', ...(target === 'darwin-arm64' ? [] : units)];
      expect([...files.keys()].filter((name) => !name.startsWith('man/'))).to.have.members(wanted);
      for (const [name, mode] of files) expect([name, mode]).to.deep.equal([name, modeOf(name)]);
      for (const [, owner, time, path] of rows)
        expect([owner, time, path?.startsWith(base)]).to.deep.equal(['0/0', '2023-11-14 22:13:20', true]);
      expect(said('tar', '-xzOf', archive, `${base}orb`)).to.equal(programOf(target));
    });

  for (const target of ['linux-x64', 'linux-arm64'] as const)
    it(`${target}.tar.zst holds the same archive as ${target}.tar.gz`, () => {
      const [packed, other] = [place(`${target}.tar.gz`), place(`${target}.tar.zst`)].map((file) => readFileSync(file));
      expect(gunzipSync(packed ?? '').equals(zstdDecompressSync(other ?? ''))).to.equal(true);
    });

  it('win-x64.zip is whole for unzip, with these names', function () {
    need(this, 'unzip');
    const [archive, base] = [place('win-x64.zip'), `orb-${version}-win-x64/`];
    expect(said('unzip', '-t', archive)).to.match(/No errors detected/);
    const names = said('unzip', '-Z1', archive).trim().split('\n');
    expect(names).to.have.members([...documents, targets['win-x64'].program].map((name) => `${base}${name}`));
    expect(said('unzip', '-p', archive, `${base}orb.exe`)).to.equal(programOf('win-x64'));
    expect(said('unzip', '-p', archive, `${base}README.md`))
      .to.contain('Preview')
      .and.contain('.\\orb.exe');
  });

  it('are not made of an executable for linux-x64 that is above 125 MB', async () => {
    truncateSync(executablePath(release, 'linux-x64'), 125_000_001);
    const refused: unknown = await archives({ ...release, targets: ['linux-x64'] }).catch((error: unknown) => error);
    expect(String(refused)).to.match(/orb-[\d.]+-linux-x64 has 125000001 bytes; at most 125000000 are allowed$/);
  });
});

function modeOf(name: string): string {
  return name === 'orb' ? '-rwxr-xr-x' : '-rw-r--r--';
}
