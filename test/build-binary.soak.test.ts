import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import { version } from '../kernel/tools/version.ts';
import { needBuilder } from './plugins/release/built.ts';

describe('npm run build:binary', function () {
  before(function () {
    needBuilder(this);
  });

  it('builds dist/orb, of the same parts as the executable of a release: it makes a home and finds no fault in it', () => {
    execFileSync('npm', ['run', 'build:binary'], { cwd: packageDir, stdio: ['ignore', 'ignore', 'inherit'] });
    const executable = join(packageDir, 'dist/orb');
    const home = mkdtempSync(join(tmpdir(), 'orb-built-'));
    const orb = (...words: readonly string[]) => spawnSync(executable, words, { cwd: home, env: {}, encoding: 'utf8' });
    try {
      expect(statSync(executable).size).to.be.below(125_000_000);
      expect(orb('--version').stdout).to.equal(`${version}\n`);
      expect(orb('init', 'shop').status).to.equal(0);
      const { status, stdout, stderr } = orb('--home', 'shop', 'config', 'check');
      expect(status, stderr).to.equal(0);
      expect(stdout).to.match(/^The configuration is valid/);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }).timeout(600_000);
});
