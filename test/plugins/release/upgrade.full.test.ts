import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkKnown } from '../../../kernel/store/sql/applied.ts';
import { archiveOf } from '../../../plugins/release/build/archives.ts';
import { executablePath, releaseOf } from '../../../plugins/release/build/release.ts';
import { gzipped } from '../../../plugins/kit/packages/tar.ts';
import { beginWalk, type Walk } from '../../guides/walk.ts';
import { packageDir } from '../../helpers/folder.ts';
import { freePort } from '../../helpers/free-port.ts';
import { guideBlocks } from '../../helpers/guide.ts';
import { send } from '../../helpers/http.ts';
import { need } from '../../helpers/needs.ts';
import { buildHere, built } from './built.ts';
import { expectOldState, oldVersion, writeOldHome } from './old-state.ts';
import { engineIn, removeEngines, expectDone, volumeOf, whenStarted } from './operations/engine.ts';
import { previousExecutable, writePreviousImage } from './previous.ts';
import { adminKey, home, installedIn, rootIn, type Ended } from './room.ts';
import { startByCommand } from './started.ts';
import { emptyRoom, serveByUnit } from './ways.ts';

const page = 'plugins/docs/pages/operate/upgrade.md';
const blockOf = (heading: string, language = 'sh'): string =>
  guideBlocks(page).find((block) => block.heading === heading && block.language === language)?.code ??
  expect.fail(heading);

// What the old release says of a newer store.
const refusal = /was written by a newer program .*; install that version or newer/g;

// In the soak the old program is that of the old release. Otherwise it is this one: it opens the state of the old release.
const isSoak = process.env['RELEASE_SOAK'] === '1';

describe(`the page on upgrades, with the state of ${oldVersion}`, function () {
  this.timeout(300_000);
  const release = releaseOf(packageDir);
  const { version } = release;
  let dir: string;
  before(function () {
    need(this, 'go', 'curl');
    // The archive has the licences.
    buildHere(this, 'executables', 'notice');
    dir = mkdtempSync('/var/tmp/orb-upgrade-');
    chmodSync(dir, 0o755);
  });
  after(() => removeEngines(dir));

  it('names this version and the one before', () => {
    expect(blockOf('Upgrade')).to.equal(`OLD=${oldVersion} NEW=${version}\n`);
  });

  it('shows what programs say that refuse a newer store', () => {
    const known = Array.from({ length: 4 }, () => ({ sha256: '' }));
    const migrations = { name: 'kernel', migrations: known.slice(0, 3).map(() => '') };
    expect(() => checkKnown(migrations.name, migrations.migrations, known)).to.throw(blockOf('Go back', 'text').trim());
    const said = readFileSync(join(packageDir, 'plugins/postgres/tables/identity.ts'), 'utf8');
    const shown = blockOf('Several servers', 'text')
      .trim()
      .replace(/0\.3\.0/, '${least}')
      .replace(/0\.2\.0/, '${version}');
    expect(said).to.include(shown);
  });

  describe('the executable', () => {
    let folder: string;
    let walk: Walk;
    let url: string;
    const orb = (of: string, ...words: readonly string[]): Ended =>
      spawnSync(join(folder, `orb-${of}-linux-x64/orb`), words, {
        cwd: folder,
        env: { ORB_URL: url },
        encoding: 'utf8',
      });
    const upgraded = (of: string) => ({
      ...{ home: folder, homeFolder: folder, server: { url, key: adminKey(folder) } },
      orb: (...words: readonly string[]) => orb(of, ...words),
    });
    before(async function () {
      folder = join(dir, 'executable');
      mkdirSync(join(folder, `orb-${oldVersion}-linux-x64`), { recursive: true });
      writeOldHome(folder, process.getuid?.());
      const old = isSoak ? previousExecutable(this) : executablePath(release, 'linux-x64');
      copyFileSync(old, join(folder, `orb-${oldVersion}-linux-x64/orb`));
      writeFileSync(join(folder, `orb-${version}-linux-x64.tar.gz`), gzipped(archiveOf(release, 'linux-x64'), 'quick'));
      url = `http://127.0.0.1:${await freePort()}`;
      walk = beginWalk(page, { home: folder, url });
      await walk.type(`export ORB_URL=${url} ORB_LISTEN=${new URL(url).host}`);
      await walk.follow('Upgrade');
      await walk.type(
        './orb-$OLD-linux-x64/orb serve > banner.txt 2> log.jsonl &\nuntil curl -fsS "$ORB_URL/health/ready"; do sleep 0.2; done',
      );
      await resolveIncidents();
    });
    after(() => {
      walk?.end();
      try {
        process.kill(Number(readFileSync(join(folder, 'data/state/lock'), 'utf8').split('\n')[0]), 'SIGKILL');
      } catch {
        // It has ended.
      }
    });

    // The old release left one open, for which a provider counts as down.
    async function resolveIncidents(): Promise<void> {
      const key = adminKey(folder);
      const { json } = await send(url, '/incidents?state=unresolved', { key });
      for (const { incident_id } of json['incidents'] as { incident_id: string }[])
        await send(url, `/incidents/${incident_id}/resolve`, { key, json: { reason: 'it is over' } });
    }

    it('opens the state, goes on and verifies, after a backup and one command', async () => {
      await walk.follow('Before you upgrade');
      await walk.follow('From an archive');
      const printed = await walk.follow('Check that it works');
      expect(printed)
        .to.match(/^✓ store: is intact$/m)
        .and.match(/ entries: OK$/m);
      expect(orb(version, '--version').stdout.trim()).to.equal(version);
      await expectOldState(upgraded(version));
    });

    if (isSoak)
      it(`is refused by ${oldVersion} in one sentence, which changes nothing`, async () => {
        await walk.type('server=$(head -1 data/state/lock) && kill "$server" && tail --pid="$server" -f /dev/null');
        const { status, stderr } = orb(oldVersion, 'serve');
        expect([status, stderr.match(refusal)?.length], stderr).to.deep.equal([78, 1]);
        await walk.type(`./orb-$NEW-linux-x64/orb serve > banner.txt 2>> log.jsonl &`);
        await walk.follow('Check that it works');
      });

    it('gives the state of the backup back to the old program', async () => {
      const { stdout } = await walk.type(blockOf('Go back').replaceAll('127.0.0.1:8080', new URL(url).host));
      expect(stdout).to.match(/ entries: OK$/m);
      expect(orb(oldVersion, '--version').stdout.trim()).to.equal(isSoak ? oldVersion : version);
      const { key } = upgraded(oldVersion).server;
      const answer = await fetch(`${url}/health`, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).to.equal(200);
      await expectOldState(upgraded(oldVersion));
    });
  });

  it('has one command for Debian, whose server opens the state', async function () {
    need(this, 'rooms', 'mmdebstrap');
    buildHere(this, 'packages');
    const place = join(dir, 'deb');
    mkdirSync(place);
    const room = { ...emptyRoom(place, `127.0.0.1:${await freePort()}`), program: '/usr/bin/orb' };
    writeOldHome(room.homeFolder);
    const name = `agent-orb-platform_${version}_amd64.deb`;
    copyFileSync(join(release.folder, name), join(room.root, 'root', name));
    const command = blockOf('From a package').replace(/^sudo /, '');
    expectDone(rootIn(room.root, '/bin/sh', '-c', `cd /root && NEW=${version} && ${command}`));
    const server = await serveByUnit(room, 'orb.service');
    try {
      await expectOldState({ ...installedIn(room), home, server });
    } finally {
      expect(await server.stop()).to.equal(0);
    }
  });

  it('has one command for a container, which takes the volume over, and the way back', async function () {
    need(this, 'podman');
    buildHere(this, 'image');
    const place = join(dir, 'image');
    mkdirSync(place);
    const old = isSoak ? oldVersion : version;
    if (isSoak) await writePreviousImage(this, place);
    this.timeout(600_000);
    const archive = `agent-orb-platform-${version}-image.tar`;
    symlinkSync(join(release.folder, archive), join(place, archive));
    const engine = engineIn(place, place);
    expectDone(engine.shell('podman volume create orb'));
    writeOldHome(volumeOf(engine, 'orb'));
    const address = `127.0.0.1:${await freePort()}`;
    const start = async (of: string) => {
      expectDone(engine.shell(`NEW=${of}\n${blockOf('From an image').replace('127.0.0.1:8080', address)}`));
      const [installed, server] = await whenStarted(engine, { container: 'orb', volume: 'orb', address });
      expect(installed.orb('--version').stdout.trim()).to.equal(of);
      return { ...installed, home, server };
    };
    expectDone((await start(old)).orb('backup', 'before-upgrade'));
    // It replaces a container that runs.
    await expectOldState(await start(version));
    const [stop = '', restore = ''] = blockOf('Go back from an image').split(' && ');
    expectDone(engine.shell(stop));
    if (isSoak) {
      const { status, stderr } = engine.shell(`OLD=${old}\n${restore.replace(/ restore .*/, ' serve')}`);
      expect([status, stderr.match(refusal)?.length], stderr).to.deep.equal([78, 1]);
    }
    expectDone(engine.shell(`OLD=${old}\n${restore}`));
    const back = await start(old);
    await expectOldState(back);
    expect(await back.server.stop()).to.equal(0);
  });

  it('has one command for npm, which starts in the folder of the state', async function () {
    buildHere(this, 'npm');
    const folder = join(dir, 'npm');
    mkdirSync(folder);
    writeOldHome(folder, process.getuid?.());
    const name = `agent-orb-platform-${version}.tgz`;
    linkSync(join(built.folder, name), join(folder, name));
    const url = `http://127.0.0.1:${await freePort()}`;
    const server = await startByCommand(`NEW=${version}\n${blockOf('From npm')}`, { folder, url });
    try {
      const [place = ''] = execFileSync('find', [join(folder, '.npm'), '-name', 'orb.mjs'], { encoding: 'utf8' }).split(
        '\n',
      );
      const orb = (...words: readonly string[]): Ended =>
        spawnSync(process.execPath, [place, ...words], { cwd: folder, env: { ORB_URL: url }, encoding: 'utf8' });
      await expectOldState({ home: folder, homeFolder: folder, orb, server: { url, key: adminKey(folder) } });
    } finally {
      await server.stop();
    }
  });
});
