import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { version } from '../../../kernel/tools/version.ts';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';
import { built, needBuilder } from './built.ts';
import { copyCheckout } from './checkout-copy.ts';

// RELEASE_SOAK=1: the release of all systems.
const isWhole = process.env['RELEASE_SOAK'] === '1';
const words = isWhole ? [] : ['executables', 'sbom', 'notice', 'packages', 'image'].flatMap((step) => ['--only', step]);
const targets = isWhole ? [] : ['--target', 'linux-x64'];

describe('a release that is built without a network', function () {
  this.timeout(7_200_000);
  let root: string;
  before(function () {
    need(this, 'go', 'rooms');
    needBuilder(this);
    root = mkdtempSync(join(packageDir, 'dist/offline-'));
  });
  after(() => root !== undefined && rmSync(root, { recursive: true, force: true }));

  it('takes all that it needs from the folder that was filled before', () => {
    const [checkout, folder] = [join(root, 'checkout'), join(root, 'folder')];
    copyCheckout(checkout, {});
    // What was brought before.
    for (const name of readdirSync(join(checkout, 'dist'))) rmSync(join(checkout, 'dist', name), { recursive: true });
    const main = [process.execPath, join(checkout, 'plugins/release/build/main.ts')];
    execFileSync(main[0] ?? '', [...main.slice(1), '--fetch', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
    // Of Go only the program is shared.
    const env = { ...process.env, HOME: root, GOPATH: join(root, 'go'), GOCACHE: join(root, 'cache') };
    const alone = ['--die-with-parent', '--unshare-net', '--dev-bind', '/', '/', '--', ...main];
    const { status, stderr } = spawnSync('bwrap', [...alone, '--offline', folder, ...words, ...targets], {
      ...{ cwd: checkout, env, encoding: 'utf8' },
    });
    expect(status, stderr).to.equal(0);
    const files = readdirSync(join(checkout, built.folder.slice(packageDir.length)));
    expect(files).to.include.members([
      ...['NOTICE', `orb-${version}-linux-x64.cdx.json`, `agent-orb-platform-${version}-image.tar`],
      ...[`agent-orb-platform_${version}_amd64.deb`, `agent-orb-platform-${version}-1.x86_64.rpm`],
    ]);
  });
});
