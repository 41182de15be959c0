import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { archiveOf } from '../../plugins/release/build/archives.ts';
import { releaseOf, type Release } from '../../plugins/release/build/release.ts';
import { packageDir } from '../helpers/folder.ts';
import { freePort } from '../helpers/free-port.ts';
import { guideBlocks } from '../helpers/guide.ts';
import { need, type ToolName } from '../helpers/needs.ts';
import { build } from '../plugins/release/built.ts';
import { expectFirstReceipt } from '../plugins/release/first-receipt.ts';
import { engineIn, removeEngines, expectDone, whenStarted } from '../plugins/release/operations/engine.ts';
import {
  home,
  installedIn,
  rootIn,
  runIn,
  serveIn,
  type Installed,
  type Room,
  type Running,
} from '../plugins/release/room.ts';
import { emptyRoom, serveByUnit } from '../plugins/release/ways.ts';

const page = 'plugins/docs/pages/operate/install.md';

/** Where a way is tried. */
interface Place {
  readonly release: Release;
  /** A folder of its own. */
  readonly dir: string;
  /** Where the server listens. */
  readonly address: string;
}

/** One way to install a server: the two commands under a heading of the page. */
interface Way {
  readonly heading: string;
  readonly needs: readonly ToolName[];
  /** The test that installs so in `.ci/run`: here it is done with `RELEASE_SOAK=1`. */
  readonly elsewhere?: string;
  /** Runs the commands. */
  follow(place: Place, commands: readonly [string, string]): Promise<readonly [Installed, Running]>;
}

const ways: readonly Way[] = [
  {
    heading: 'Any Linux',
    needs: ['mmdebstrap'],
    async follow({ address, dir, release }, [unpack, serve]) {
      const name = `orb-${release.version}-linux-x64`;
      const room = { ...emptyRoom(dir, address), program: `${home}/${name}/orb` };
      writeFileSync(join(room.homeFolder, `${name}.tar.gz`), gzipSync(archiveOf(release, 'linux-x64'), { level: 1 }));
      expectDone(runIn(room, '/bin/sh', '-c', unpack));
      return [installedIn(room), await serveIn(room, '/bin/sh', '-c', `exec ${serve}`)];
    },
  },
  {
    heading: 'Debian and Ubuntu',
    needs: ['mmdebstrap'],
    elsewhere: 'test/plugins/release/service.full.test.ts',
    async follow({ address, dir, release: { folder, version } }, [install, enable]) {
      const name = `agent-orb-platform_${version}_amd64.deb`;
      const room = emptyRoom(dir, address);
      copyFileSync(join(folder, name), join(room.root, 'root', name));
      expectDone(rootIn(room.root, '/bin/sh', '-c', `cd /root && ${install.replace(/^sudo /, '')}`));
      expect(enable).to.equal('sudo systemctl enable --now orb');
      const installed = { ...room, program: '/usr/bin/orb' };
      return [installedIn(installed), await servePackage(installed)];
    },
  },
  {
    heading: 'Run the image',
    needs: ['podman'],
    elsewhere: 'test/readme.full.test.ts',
    follow: followImage,
  },
  {
    heading: 'Compose',
    needs: ['podman', 'python'],
    follow: followCompose,
  },
];

const isWhole = process.env['RELEASE_SOAK'] === '1';
const followed = ways.filter(({ elsewhere }) => isWhole || elsewhere === undefined);

describe('the page on installation, on a system without Node, Go and compilers', function () {
  this.timeout(300_000);
  const release = releaseOf(packageDir);
  let dir: string;
  before(function () {
    need(this, 'go', 'rooms');
    build(this, 'executables', 'sbom', 'notice', ...(isWhole ? ['packages'] : []), 'image', 'operations');
    dir = mkdtempSync('/var/tmp/orb-install-');
    chmodSync(dir, 0o755);
  });
  after(() => removeEngines(dir));

  for (const [at, { follow, heading, needs }] of followed.entries())
    it(`has two commands under "${heading}": then a policy of one's own is in force, and a receipt is verified`, async function () {
      need(this, ...needs);
      const block = guideBlocks(page).find((one) => one.heading === heading);
      const [first = '', second = '', ...more] = block?.code.trimEnd().split('\n') ?? [];
      expect(more).to.deep.equal([]);
      const place = { release, dir: join(dir, `${at}`), address: `127.0.0.1:${await freePort()}` };
      mkdirSync(place.dir);
      const [installed, running] = await follow(place, [first, second]);
      try {
        await expectFirstReceipt(installed, running);
      } finally {
        expect(await running.stop()).to.equal(0);
      }
    });
});

/** Runs the commands by a container engine. */
function followImage(place: Place, [load, run]: readonly [string, string]) {
  const { address, dir, release } = place;
  const engine = engineIn(dir, release.folder);
  expectDone(engine.shell(load));
  expectDone(engine.shell(run.replace('127.0.0.1:8080', address).replace(':1.0.0', `:${release.version}`)));
  return whenStarted(engine, { container: 'orb', volume: 'orb', address });
}

/** Does the same with the file for Compose, in a folder that has nothing but it and the archive. */
function followCompose(place: Place, [load, up]: readonly [string, string]) {
  const { address, dir, release } = place;
  const project = join(dir, 'project');
  mkdirSync(project);
  const archive = `agent-orb-platform-${release.version}-image.tar`;
  symlinkSync(join(release.folder, archive), join(project, archive));
  const file = readFileSync(join(release.folder, 'compose.yaml'), 'utf8').replace(
    'LISTEN: 127.0.0.1:8080',
    `LISTEN: ${address}`,
  );
  writeFileSync(join(project, 'compose.yaml'), file);
  const engine = engineIn(dir, project);
  expectDone(engine.shell(load));
  expectDone(engine.shell(up));
  return whenStarted(engine, { container: 'orb_orb_1', volume: 'orb_state', address });
}

/** Starts the unit of a package, which takes the settings of `/etc`. */
async function servePackage(room: Room): Promise<Running> {
  const running = await serveByUnit(room, 'orb.service');
  const settings = readFileSync(join(room.root, 'etc/orb/platform.json'), 'utf8');
  expect(runIn(room, '/bin/cat', 'data/platform.json').stdout).to.equal(settings);
  return running;
}
