import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { archiveOf } from '../../plugins/release/build/archives.ts';
import { releaseOf, type Release } from '../../plugins/release/build/release.ts';
import { packageDir } from '../helpers/folder.ts';
import { freePort } from '../helpers/free-port.ts';
import { guideBlocks } from '../helpers/guide.ts';
import { need, type ToolName } from '../helpers/needs.ts';
import { unpackDebian } from '../plugins/release/base.ts';
import { build } from '../plugins/release/built.ts';
import { expectFirstReceipt } from '../plugins/release/first-receipt.ts';
import {
  adminKey,
  hasProgram,
  home,
  installedIn,
  makeHome,
  path,
  rootIn,
  runIn,
  serveIn,
  whenReady,
  type Ended,
  type Installed,
  type Room,
  type Running,
} from '../plugins/release/room.ts';

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
      // With the least effort: how small it gets is no part of the page.
      writeFileSync(join(room.homeFolder, `${name}.tar.gz`), gzipSync(archiveOf(release, 'linux-x64'), { level: 1 }));
      expectDone(runIn(room, '/bin/sh', '-c', unpack));
      return [installedIn(room), await serveIn(room, '/bin/sh', '-c', `exec ${serve}`)];
    },
  },
  {
    heading: 'Debian and Ubuntu',
    needs: ['mmdebstrap'],
    async follow({ address, dir, release: { folder, version } }, [install, enable]) {
      const name = `agent-orb-platform_${version}_amd64.deb`;
      const room = emptyRoom(dir, address);
      copyFileSync(join(folder, name), join(room.root, 'root', name));
      expectDone(rootIn(room.root, '/bin/sh', '-c', `cd /root && ${install.replace(/^sudo /, '')}`));
      expect(enable).to.equal('sudo systemctl enable --now orb');
      const installed = { ...room, program: '/usr/bin/orb' };
      return [installedIn(installed), await serveByUnit(installed, 'orb.service')];
    },
  },
  {
    heading: 'Run the image',
    needs: ['podman'],
    follow: followImage,
  },
];

describe('the page on installation, on a system without Node, Go and compilers', function () {
  this.timeout(300_000);
  const release = releaseOf(packageDir);
  let dir: string;
  before(function () {
    need(this, 'go', 'rooms');
    build(this, 'executables', 'packages', 'image');
    dir = mkdtempSync('/var/tmp/orb-install-');
    chmodSync(dir, 0o755);
  });
  after(() => {
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  });

  for (const [at, { follow, heading, needs }] of ways.entries())
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

/** A Debian in which nothing is installed yet, and an empty home. */
function emptyRoom(dir: string, address: string): Room {
  const root = join(dir, 'root');
  unpackDebian(root);
  expect(['node', 'go', 'cc', 'gcc', 'make'].filter((one) => hasProgram(root, one))).to.deep.equal([]);
  mkdirSync(join(root, home));
  const env = { PATH: path, ORB_LISTEN: address, ORB_URL: `http://${address}` };
  return { root, program: '', env, homeFolder: makeHome(join(dir, 'home')) };
}

/** Does as systemd does to start a unit. */
async function serveByUnit(room: Room, unit: string): Promise<Running> {
  const lines = readFileSync(join(room.root, 'usr/lib/systemd/system', unit), 'utf8').split('\n');
  const valuesOf = (name: string): readonly string[] =>
    lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
  const variables = valuesOf('Environment').flatMap((value) => value.split(' ').map((pair) => pair.split('=')));
  const started = { ...room, env: { ...room.env, ...(Object.fromEntries(variables) as Record<string, string>) } };
  expect([valuesOf('WorkingDirectory'), valuesOf('StateDirectory')]).to.deep.equal([[home], ['orb']]);
  for (const command of valuesOf('ExecStartPre')) {
    const [, script = ''] = /^\/bin\/sh -c '(.*)'$/.exec(command) ?? [];
    expectDone(runIn(started, '/bin/sh', '-c', script));
  }
  const settings = readFileSync(join(room.root, 'etc/orb/platform.json'), 'utf8');
  expect(runIn(started, '/bin/cat', 'data/platform.json').stdout).to.equal(settings);
  const [command = ''] = valuesOf('ExecStart');
  return serveIn(started, ...command.split(' '));
}

/** Runs the commands by a container engine whose files are all in the folder of the place. */
async function followImage({ address, dir, release }: Place, [load, run]: readonly [string, string]) {
  const settings = join(dir, 'storage.conf');
  writeFileSync(settings, `[storage]\ndriver = "vfs"\nrunroot = "${dir}/run"\ngraphroot = "${dir}/containers"\n`);
  // By default it asks for more open files than a container of its own may have.
  const limits = join(dir, 'containers.conf');
  writeFileSync(
    limits,
    '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n',
  );
  const env = { ...process.env, CONTAINERS_STORAGE_CONF: settings, CONTAINERS_CONF: limits };
  const shell = (script: string): Ended =>
    spawnSync('/bin/sh', ['-c', script], { cwd: release.folder, env, encoding: 'utf8' });
  expectDone(shell(load));
  expectDone(shell(run.replace('127.0.0.1:8080', address).replace(':1.0.0', `:${release.version}`)));
  const homeFolder = join(dir, 'containers/volumes/orb/_data');
  const url = `http://${address}`;
  const running = (): boolean => shell('podman inspect --format "{{.State.Running}}" orb').stdout.trim() === 'true';
  await whenReady(url, () => (running() ? undefined : shell('podman logs orb').stderr));
  const orb = (...words: readonly string[]): Ended =>
    spawnSync('podman', ['exec', '--env', `ORB_URL=${url}`, 'orb', 'orb', ...words], { env, encoding: 'utf8' });
  const stop = async (): Promise<number> => {
    expectDone(shell('podman stop --time 60 orb'));
    const code = Number(shell('podman inspect --format "{{.State.ExitCode}}" orb').stdout);
    expectDone(shell('podman rm orb && podman volume rm orb'));
    return code;
  };
  return [
    { homeFolder, orb },
    { url, key: adminKey(homeFolder), stop },
  ] as const;
}

function expectDone({ status, stdout, stderr }: Ended): void {
  expect(status, stdout + stderr).to.equal(0);
}
