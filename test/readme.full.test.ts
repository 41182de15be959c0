import { chmodSync, linkSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { version } from '../kernel/tools/version.ts';
import { archiveOf } from '../plugins/release/build/archives.ts';
import { releaseOf } from '../plugins/release/build/release.ts';
import { gzipped } from '../plugins/kit/packages/tar.ts';
import { packageDir } from './helpers/folder.ts';
import { freePort } from './helpers/free-port.ts';
import { guideBlocks } from './helpers/guide.ts';
import { need } from './helpers/needs.ts';
import { build } from './plugins/release/built.ts';
import { sendMail } from './plugins/release/first-receipt.ts';
import { adminKey } from './plugins/release/room.ts';
import { startByCommand } from './plugins/release/started.ts';
import { engineIn, removeEngines, volumeOf } from './plugins/release/operations/engine.ts';

const heading = 'Start a server';
const commands = (guideBlocks('README.md').find((block) => block.heading === heading)?.code ?? '')
  .trimEnd()
  .split('\n');

describe(`the README under "${heading}"`, function () {
  this.timeout(300_000);
  const release = releaseOf(packageDir);
  const files = {
    tar: `orb-${version}-linux-x64.tar.gz`,
    npx: `agent-orb-platform-${version}.tgz`,
    podman: `agent-orb-platform-${version}-image.tar`,
  };
  let dir: string;
  before(function () {
    build(this, 'executables', 'npm', 'image');
    dir = mkdtempSync('/var/tmp/orb-readme-');
    chmodSync(dir, 0o755);
  });
  after(() => removeEngines(dir));

  it('has one command for each file, with the name of this version', () => {
    expect(commands.map((command) => command.split(' ')[0])).to.deep.equal(Object.keys(files));
    for (const [at, name] of Object.values(files).entries()) expect(commands[at]).to.include(name);
  });

  for (const [at, [program, name]] of Object.entries(files).entries())
    it(`starts a server with ${name}, which runs an Orb`, async function () {
      if (program === 'podman') need(this, 'podman');
      const folder = join(dir, program);
      mkdirSync(folder);
      if (program === 'tar') writeFileSync(join(folder, name), gzipped(archiveOf(release, 'linux-x64'), 'quick'));
      else linkSync(join(release.folder, name), join(folder, name));
      const url = `http://127.0.0.1:${await freePort()}`;
      const engine = program === 'podman' ? engineIn(folder, folder) : undefined;
      const command = (commands[at] ?? '').replace('127.0.0.1:8080', new URL(url).host);
      const server = await startByCommand(command, {
        folder,
        url,
        ...(engine === undefined ? {} : { env: engine.env }),
      });
      try {
        const ran = await sendMail(
          { url, key: adminKey(engine === undefined ? folder : volumeOf(engine, 'orb')) },
          'ada@example.com',
        );
        expect(ran.status, ran.text).to.equal(200);
      } finally {
        await server.stop();
      }
    });
});
