import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import base from '../../../plugins/release/build/image/base.json' with { type: 'json' };
import { fetchPackages } from '../../../plugins/release/build/image/debian.ts';
import { offlineEnvironment } from '../../../plugins/release/build/fetch.ts';
import { nfpmSources } from '../../../plugins/release/build/linux/nfpm.ts';
import { releaseOf } from '../../../plugins/release/build/release.ts';
import pinned from '../../../plugins/release/build/runtimes.json' with { type: 'json' };
import { runtimeOf } from '../../../plugins/release/build/runtimes.ts';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';

describe('a release without a network', function () {
  this.timeout(20_000);
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

  for (const sources of ['plugins/policy/compiler', nfpmSources])
    it(`names the Go module for ${sources} that its folder does not hold`, function () {
      need(this, 'go');
      const env = { ...process.env, ...offlineEnvironment(folder), GOMODCACHE: join(dir, 'cache'), GOFLAGS: '' };
      const { status, stderr } = spawnSync('go', ['mod', 'download'], {
        ...{ cwd: join(packageDir, sources), env, encoding: 'utf8' },
      });
      expect(status).to.equal(1);
      expect(stderr).to.match(/^go: \S+@v\S+: .*\/folder\/go\/\S+: no such file or directory$/m);
    });
});
