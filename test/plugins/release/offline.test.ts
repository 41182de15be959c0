import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { printedBy } from '../../../plugins/kit/binary/printed-by.ts';
import base from '../../../plugins/release/build/image/base.json' with { type: 'json' };
import { fetchPackages } from '../../../plugins/release/build/image/debian.ts';
import { offlineEnvironment } from '../../../plugins/release/build/fetch.ts';
import { nfpmProgram, nfpmSources } from '../../../plugins/release/build/linux/nfpm.ts';
import { goParts } from '../../../plugins/release/build/parts/go.ts';
import { releaseOf } from '../../../plugins/release/build/release.ts';
import pinned from '../../../plugins/release/build/runtimes.json' with { type: 'json' };
import { runtimeOf } from '../../../plugins/release/build/runtimes.ts';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';

describe('a release without a network', function () {
  let dir: string;
  let folder: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'orb-offline-'));
    folder = join(dir, 'folder');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  for (const target of ['linux-arm64', 'darwin-arm64', 'win-x64'] as const)
    it(`names the archive of ${target} that its folder does not hold, and one that was changed`, () => {
      const release = { ...releaseOf(packageDir), root: dir, offline: folder };
      const { archive } = pinned[target];
      expect(() => runtimeOf(release, target)).to.throw(`${folder} does not hold ${archive}`);
      writeFileSync(join(folder, archive), 'another');
      expect(() => runtimeOf(release, target)).to.throw(`${archive} is not the file that runtimes.json names`);
    });

  for (const architecture of ['amd64', 'arm64'] as const)
    it(`names the packages of Debian for ${architecture} that its folder does not hold`, () => {
      const missing = base[architecture].map(({ name, sha256, version }) => `${sha256}.deb (${name} ${version})`);
      const bring = (): unknown => fetchPackages(join(folder, 'debian'), architecture, base[architecture], true);
      expect(bring).to.throw(`${folder}/debian does not hold ${missing.join(', ')}`);
    });

  describe('with the caches of Go empty', () => {
    const missing = /(?:^|\s)\S+@v\S+: .*\/folder\/go\/\S+: no such file or directory$/m;
    const own = { ...process.env };
    beforeEach(function () {
      need(this, 'go');
      Object.assign(process.env, offlineEnvironment(folder), { GOMODCACHE: join(dir, 'cache'), GOFLAGS: '' });
    });
    afterEach(() => {
      for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
      Object.assign(process.env, own);
    });

    it('names the Go module of the policy compiler that its folder does not hold', () => {
      expect(() => goParts(packageDir, '1.0.0')).to.throw(missing);
      // A checkout in which it is not built yet.
      for (const part of ['plugins/policy/compiler', 'plugins/policy/toolchain', 'package.json'])
        cpSync(join(packageDir, part), join(dir, part), { recursive: true });
      expect(() => printedBy('npm', ['run', '--silent', 'build:compiler'], { cwd: dir })).to.throw(missing);
    });

    it('names the Go module of nfpm that its folder does not hold', () => {
      cpSync(join(packageDir, nfpmSources), join(dir, nfpmSources), { recursive: true });
      expect(() => nfpmProgram(dir)).to.throw(missing);
    });
  });
});
