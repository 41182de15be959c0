import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  closeSync,
  copyFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { image } from '../../../plugins/release/build/image.ts';
import { releaseOf } from '../../../plugins/release/build/release.ts';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';
import { until } from '../../helpers/until.ts';
import { build } from './built.ts';
import { expectFirstReceipt, expectReceipt, sendMail } from './first-receipt.ts';
import { goTool } from './go-tool.ts';
import { freePort } from '../../helpers/free-port.ts';
import { home, makeHome, installedIn, serveIn, type Room, type Running } from './room.ts';
import { slowProvider, slowSettings } from './slow-provider.ts';

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly mediaType: string;
  readonly platform?: { readonly architecture: string };
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface Config {
  readonly created: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly Volumes: object;
    readonly ExposedPorts: object;
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
}

// RELEASE_SOAK=1: as it is released, for both processors. executables.full.test.ts starts the program of the other one.
const isWhole = process.env['RELEASE_SOAK'] === '1';
const processors: Readonly<Record<string, string | undefined>> = {
  amd64: undefined,
  ...(isWhole ? { arm64: '/usr/bin/qemu-aarch64-static' } : {}),
};
const mostBytes = isWhole ? 60e6 : 65e6;

describe('the image', function () {
  this.timeout(300_000);
  const release = releaseOf(packageDir);
  let dir: string;
  let archive: string;
  let registry: ChildProcess;
  let reference: string;
  let tag: { readonly digest: string };
  const crane = (...words: readonly string[]): string =>
    execFileSync(cranePath(), words, { encoding: 'utf8', maxBuffer: 1e9 }).trim();
  const blob = (digest: string): Buffer => readFileSync(join(dir, 'layout/blobs', digest.replace(':', '/')));
  const parsed = <T>({ digest }: { readonly digest: string }): T => JSON.parse(blob(digest).toString()) as T;
  const images = (): readonly Descriptor[] => parsed<{ manifests: readonly Descriptor[] }>(tag).manifests;
  const imageFor = (processor: string): Descriptor =>
    images().find(({ platform }) => platform?.architecture === processor) ?? expect.fail(`no image for ${processor}`);
  const configOf = (one: Descriptor): Config => parsed<Config>(parsed<Manifest>(one).config);

  before(async function () {
    need(this, 'go', 'rooms');
    build(this, 'executables', 'sbom', 'notice', 'image');
    archive = join(release.folder, `agent-orb-platform-${release.version}-image.tar`);
    dir = mkdtempSync('/var/tmp/orb-image-');
    chmodSync(dir, 0o755);
    mkdirSync(join(dir, 'layout'));
    execFileSync('tar', ['-xf', archive, '-C', join(dir, 'layout')]);
    const index = readFileSync(join(dir, 'layout/index.json'), 'utf8');
    [tag = { digest: '' }] = (JSON.parse(index) as { manifests: (typeof tag)[] }).manifests;
    const port = await freePort();
    registry = spawn(cranePath(), ['registry', 'serve', '--address', `127.0.0.1:${port}`], { stdio: 'ignore' });
    reference = `127.0.0.1:${port}/orb:${release.version}`;
    crane('push', join(dir, 'layout'), reference);
  });
  after(() => {
    registry?.kill();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  });

  it('is the same in a registry as in the archive, and valid by the words of another program', () => {
    expect(crane('digest', reference)).to.equal(tag.digest);
    for (const { digest } of images())
      expect(crane('validate', '--remote', `${reference.replace(/:[^:]*$/, '')}@${digest}`)).to.include('PASS');
    crane('pull', '--format', 'oci', reference, join(dir, 'pulled'));
    const pulled = readFileSync(join(dir, 'pulled/index.json'), 'utf8');
    expect((JSON.parse(pulled) as { manifests: unknown[] }).manifests[0]).to.include({ digest: tag.digest });
    const blobs = (folder: string): readonly string[] => readdirSync(join(dir, folder, 'blobs/sha256')).sort();
    expect(blobs('pulled')).to.deep.equal(blobs('layout'));
    for (const name of blobs('layout'))
      expect(
        createHash('sha256')
          .update(blob(`sha256:${name}`))
          .digest('hex'),
      ).to.equal(name);
  });

  it(`has at most ${mostBytes / 1e6} MB for each processor`, () => {
    expect(images().map(({ platform }) => platform?.architecture)).to.deep.equal(Object.keys(processors));
    for (const one of images())
      expect(parsed<Manifest>(one).layers.reduce((sum, { size }) => sum + size, 0)).to.be.below(mostBytes);
  });

  for (const [processor, emulator] of Object.entries(processors))
    describe(`for ${processor}`, () => {
      let root: string;
      before(() => {
        root = join(dir, processor);
        mkdirSync(root);
        // crane puts the layers together, and tar makes the files: neither is ours.
        crane('export', '--platform', `linux/${processor}`, reference, `${root}.tar`);
        execFileSync('tar', ['-xpf', `${root}.tar`, '-C', root, '--same-owner']);
      });

      // One processor: to pack a program takes its time.
      if (processor === 'amd64' && isWhole)
        it('is made of the same bytes again', async () => {
          const [folder, work] = [join(dir, 'again'), join(dir, 'work')];
          for (const made of [folder, join(work, 'executables')]) mkdirSync(made, { recursive: true });
          symlinkSync(join(release.work, 'executables/linux-x64'), join(work, 'executables/linux-x64'));
          // Of steps before, if they were run: the image has them.
          const documents = { NOTICE: 'NOTICE', 'sbom.cdx.json': `orb-${release.version}-linux-x64.cdx.json` };
          for (const [from, to] of Object.entries(documents)) {
            const path = join(root, 'usr/share/doc/agent-orb-platform', from);
            if (existsSync(path)) copyFileSync(path, join(folder, to));
          }
          await image({ ...release, folder, work });
          const found = execFileSync('tar', ['-tf', join(folder, basename(archive))], { encoding: 'utf8' });
          expect(found).to.include(imageFor(processor).digest.replace('sha256:', 'blobs/sha256/'));
        });

      it('says how it is run, and what it is', () => {
        const { config, created } = configOf(imageFor(processor));
        expect(config).to.deep.include({
          User: '65532:65532',
          Entrypoint: ['/usr/bin/orb'],
          Cmd: ['serve'],
          Volumes: { '/var/lib/orb': {} },
          ExposedPorts: { '8080/tcp': {} },
          WorkingDir: '/var/lib/orb',
        });
        expect(new Date(created).getTime()).to.equal(release.epoch * 1000);
        expect(config.Labels).to.include({
          'org.opencontainers.image.version': release.version,
          'org.opencontainers.image.revision': release.commit,
          'org.opencontainers.image.licenses': 'Apache-2.0',
        });
      });

      it('has nothing newer than itself', () => {
        for (const { digest } of parsed<Manifest>(imageFor(processor)).layers) {
          const input = blob(digest);
          const list = execFileSync('tar', ['--utc', '--full-time', '-tvzf', '-'], {
            input,
            encoding: 'utf8',
            maxBuffer: 1e9,
          });
          const times = [...list.matchAll(/ (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/g)];
          expect(times).to.have.length(list.trimEnd().split('\n').length);
          for (const [, day, time] of times) expect(Date.parse(`${day}T${time}Z`)).to.be.at.most(release.epoch * 1000);
        }
      });

      it('holds no shell, nothing that changes its user, and nothing that others can write', () => {
        const programs: string[] = [];
        for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
          const about = lstatSync(join(root, path));
          if (about.isSymbolicLink()) continue;
          expect(about.mode & 0o6000, path).to.equal(0);
          if (path !== 'tmp') expect(about.mode & 0o022, path).to.equal(0);
          expect(about.uid, path).to.equal(path === 'var/lib/orb' ? 65532 : 0);
          if (about.isFile() && (about.mode & 0o111) !== 0) programs.push(path);
        }
        expect(programs.filter((path) => !/\.so(?:\.|$)/.test(path))).to.deep.equal(['usr/bin/orb']);
        for (const path of programs) expect(startOf(join(root, path)), path).to.equal('\x7fELF');
        expect(lstatSync(join(root, 'tmp')).mode & 0o7777).to.equal(0o1777);
      });

      it('tells scanners the versions of its packages', () => {
        const fragments = join(root, 'var/lib/dpkg/status.d');
        expect(readdirSync(fragments)).to.include.members([
          'ca-certificates',
          'libc6',
          'libgcc-s1',
          'libstdc++6',
          'tzdata',
        ]);
        for (const name of readdirSync(fragments)) {
          expect(readFileSync(join(fragments, name), 'utf8')).to.match(
            new RegExp(`^Package: ${name.replace('++', '..')}$[^]*^Version: \\d`, 'm'),
          );
          expect(existsSync(join(root, 'usr/share/doc', name, 'copyright')), name).to.equal(true);
        }
        expect(readFileSync(join(root, 'etc/os-release'), 'utf8')).to.match(/^ID=debian$/m);
      });

      describe('run as its user, with nothing but the state to write', () => {
        let room: Room;
        let running: Running;
        before(async function () {
          if (emulator !== undefined) need(this, 'qemu');
          const { Env } = configOf(imageFor(processor)).config;
          const address = `127.0.0.1:${await freePort()}`;
          const homeFolder = makeHome(join(dir, `home-${processor}`));
          mkdirSync(join(homeFolder, 'data'));
          writeFileSync(join(homeFolder, 'data/platform.json'), JSON.stringify(slowSettings));
          writeFileSync(join(homeFolder, 'slow.mjs'), slowProvider(`${home}/began`));
          execFileSync('chown', ['-R', '65532:65532', homeFolder]);
          const env = Object.fromEntries(Env.map((line) => line.split('=') as [string, string]));
          room = {
            ...{ root, homeFolder, program: '/usr/bin/orb' },
            env: { ...env, ORB_LISTEN: address, ORB_URL: `http://${address}` },
            ...(emulator === undefined ? {} : { emulator }),
          };
          running = await serveIn(room);
        });
        after(async () => {
          await running?.stop();
        });

        // An emulated compiler needs minutes for a policy, and one here seconds: install.full.test.ts does it in an image.
        if (emulator === undefined && isWhole)
          it('takes a policy into force, runs an Orb, and the receipt verifies', () =>
            expectFirstReceipt(installedIn(room), running));
        else it('runs an Orb, and the receipt verifies', () => expectReceipt(installedIn(room), running));

        it('is healthy by its own check while it runs', () => {
          const [, ...words] = configOf(imageFor(processor)).config.Healthcheck.Test;
          expect(words[0]).to.equal(room.program);
          expect(installedIn(room).orb(...words.slice(1))).to.include({ status: 0 });
          const elsewhere = { ...room, env: { ...room.env, ORB_URL: 'http://127.0.0.1:1' } };
          expect(installedIn(elsewhere).orb(...words.slice(1))).to.include({ status: 1 });
        });

        it('ends a run under way before it stops by SIGTERM', async () => {
          const under = sendMail(running, 'ada@example.com', 'slow');
          const began = (): string => readFileSync(join(room.homeFolder, 'began'), 'utf8');
          await until(began, (subject) => subject === 'slow', 'the run');
          const code = running.stop();
          expect((await under).status).to.equal(200);
          expect(await code).to.equal(0);
        });
      });
    });
});

function cranePath(): string {
  return goTool(packageDir, 'github.com/google/go-containerregistry/cmd/crane', 'v0.22.1');
}

function startOf(path: string): string {
  const file = openSync(path, 'r');
  const start = Buffer.alloc(4);
  readSync(file, start);
  closeSync(file);
  return start.toString('latin1');
}
