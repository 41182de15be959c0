import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { executableFaults } from '../../../plugins/kit/binary/executable.ts';
import { targets, type Target } from '../../../plugins/kit/binary/targets.ts';
import { version } from '../../../kernel/tools/version.ts';
import { packageDir } from '../../helpers/folder.ts';
import { leaveOutBecause, need } from '../../helpers/needs.ts';
import { build, built } from './built.ts';

const emulated = ['/usr/bin/qemu-aarch64-static', '-L', join(packageDir, 'dist/arm64')];

describe('the archives of the built executables', function () {
  this.timeout(300_000);
  let dir: string;
  before(function () {
    build(this, 'executables', 'sbom', 'notice', 'archives');
    dir = mkdtempSync(join(tmpdir(), 'orb-archives-'));
  });
  after(() => dir !== undefined && rmSync(dir, { recursive: true, force: true }));

  const place = (name: string): string => join(built.folder, `orb-${version}-${name}`);
  const unpacked = (target: keyof typeof targets, ending: string): string => {
    if (ending === '.zip') execFileSync('unzip', ['-q', '-o', place(target + ending), '-d', dir]);
    else execFileSync('tar', ['-xf', place(target + ending), '-C', dir]);
    return join(dir, `orb-${version}-${target}`, targets[target].program);
  };
  const said = (words: readonly string[]): string =>
    execFileSync(words[0] ?? '', words.slice(1), { encoding: 'utf8', cwd: dir, env: {} }).trim();

  it('for linux-x64 are at most 45 MB, of at most 125 MB', function () {
    if (process.env['RELEASE_SOAK'] !== '1') leaveOutBecause(this, 'RELEASE_SOAK=1 packs as a release does');
    const sizes = ['linux-x64', 'linux-x64.tar.zst', 'linux-x64.tar.gz'].map((name) => statSync(place(name)).size);
    console.log(`      ${sizes.join(', ')} bytes: the executable, with Zstandard, with gzip`);
    expect(sizes[0]).to.be.at.most(125_000_000);
    expect(sizes[1]).to.be.at.most(45_000_000);
  });

  for (const ending of ['.tar.gz', '.tar.zst'])
    it(`linux-x64${ending} holds a program that starts`, () => {
      expect(said([unpacked('linux-x64', ending), '--version'])).to.equal(version);
    });

  for (const ending of ['.tar.gz', '.tar.zst'])
    it(`linux-arm64${ending} holds a program that starts`, function () {
      need(this, 'qemu');
      expect(said([...emulated, unpacked('linux-arm64', ending), '--version'])).to.equal(version);
    });

  for (const [target, ending] of [
    ['darwin-arm64', '.tar.gz'],
    ['win-x64', '.zip'],
  ] as const)
    it(`${target}${ending} holds a program of the format of its system`, function () {
      if (process.env['RELEASE_SOAK'] !== '1') leaveOutBecause(this, 'RELEASE_SOAK=1 builds the previews');
      need(this, 'unzip');
      const file = readFileSync(unpacked(target, ending));
      const { format }: Target = targets[target];
      expect(executableFaults(targets[target], file, format.blob(file) ?? Buffer.alloc(0))).to.deep.equal([]);
    });
});
