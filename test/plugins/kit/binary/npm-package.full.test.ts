import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../../helpers/folder.ts';
import { send } from '../../../helpers/http.ts';
import { createServed, type Served } from '../../../helpers/served.ts';

const scripts = ['plugins/console/app/main.json', 'plugins/receipts/page/app.js', 'plugins/receipts/page/library.js'];

describe('the npm package of the program', function () {
  this.timeout(180_000);
  let folder: string;
  let served: Served | undefined;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-pack-'));
    const checkout = join(folder, 'checkout');
    for (const name of ['data', 'kernel', 'plugins', 'policies', 'providers', '.gitignore', 'package.json', 'LICENSE'])
      cpSync(join(packageDir, name), join(checkout, name), { recursive: true });
    symlinkSync(join(packageDir, 'node_modules'), join(checkout, 'node_modules'));
    execFileSync('npm', ['run', 'build:package'], { cwd: checkout, stdio: 'ignore' });
    const [packed = ''] = readdirSync(join(checkout, 'dist'));
    execFileSync('tar', ['-xzf', join(checkout, 'dist', packed)], { cwd: folder });
    // As npm installs it for production: without the bundler.
    mkdirSync(join(folder, 'package/node_modules'));
    for (const name of readdirSync(join(packageDir, 'node_modules')))
      if (!/esbuild|^\./.test(name))
        symlinkSync(join(packageDir, 'node_modules', name), join(folder, 'package/node_modules', name));
  });
  after(async () => {
    await served?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('holds the scripts of pages, which do not stay in the checkout', () => {
    for (const script of scripts) {
      expect(existsSync(join(folder, 'package', script)), script).to.equal(true);
      expect(existsSync(join(folder, 'checkout', script)), script).to.equal(false);
    }
  });

  it('serves them without the bundler', async () => {
    served = createServed({}, { program: join(folder, 'package/kernel/orb.js') });
    const { url } = await served.start();
    for (const path of ['/console/app.js', '/verify/verifier.js']) {
      const { status, text } = await send(url, path);
      expect([status, text.length > 20_000], path).to.deep.equal([200, true]);
    }
    expect((await send(url, '/verify')).text).to.contain('VERIFIED-WITH-LIMITS');
  });
});
