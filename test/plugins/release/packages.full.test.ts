import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { packages } from '../../../plugins/release/build/packages.ts';
import { executablePath, releaseOf, unnamedMaintainer, type Release } from '../../../plugins/release/build/release.ts';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';
import { unpackDebian } from './base.ts';
import { build } from './built.ts';
import { rootIn } from './room.ts';

const settings = 'etc/orb/platform.json';
const installed = [
  ...['usr/bin/orb', 'usr/lib/systemd/system/orb.service', 'usr/lib/systemd/system/orb@.service', settings],
  ...['usr/share/man/man1/orb.1.gz', 'usr/share/doc/agent-orb-platform/NOTICE'],
  ...['usr/share/bash-completion/completions/orb', 'usr/share/fish/vendor_completions.d/orb.fish'],
];

// Writes down how it is called. Two servers of the unit with instances run.
const systemctl = `#!/bin/sh
echo "$*" >> /calls
case "$1" in list-units) echo 'orb@a.service loaded active running a'; echo 'orb@b.service loaded active running b' ;; esac
`;

// RELEASE_SOAK=1: as they are released. Otherwise the rules are asked of packages with another, smaller program.
const isWhole = process.env['RELEASE_SOAK'] === '1';

describe('the packages of Linux', function () {
  this.timeout(300_000);
  const release = releaseOf(packageDir);
  let dir: string;
  let later: Release;
  const fileOf = ({ folder, version }: Release, kind: 'deb' | 'rpm'): string => {
    const names = { deb: `agent-orb-platform_${version}_amd64.deb`, rpm: `agent-orb-platform-${version}-1.x86_64.rpm` };
    return join(folder, names[kind]);
  };

  before(async function () {
    need(this, 'go', 'rooms', 'mmdebstrap', 'lintian', 'rpm', 'rpmlint', 'systemd', 'man', 'mandoc');
    build(this, 'executables', 'notice', 'packages');
    dir = mkdtempSync('/var/tmp/orb-packages-');
    chmodSync(dir, 0o755);
    // It is not started, and any program is packed faster.
    later = await packagesOf(
      { ...release, version: '99.0.0', maintainer: 'Ada <ada@example.com>' },
      'later',
      '/bin/true',
    );
  });
  after(() => {
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  });

  async function packagesOf(
    of: Release,
    name: string,
    program = executablePath(release, 'linux-x64'),
  ): Promise<Release> {
    const made = { ...of, folder: join(dir, name), work: join(dir, `${name}-work`) };
    const packed = executablePath(made, 'linux-x64');
    for (const folder of [made.folder, dirname(packed)]) mkdirSync(folder, { recursive: true });
    copyFileSync(program, packed);
    copyFileSync(join(release.folder, 'NOTICE'), join(made.folder, 'NOTICE'));
    await packages(made);
    return made;
  }

  if (isWhole)
    it('are made of the same bytes again', async () => {
      const again = await packagesOf(release, 'again');
      for (const kind of ['deb', 'rpm'] as const)
        expect(spawnSync('cmp', [fileOf(again, kind), fileOf(release, kind)], { encoding: 'utf8' }).stdout).to.equal(
          '',
        );
    });

  it('have no error by the rules of Debian', () => {
    const words = ['--fail-on', 'error', '--no-tag-display-limit', fileOf(isWhole ? release : later, 'deb')];
    const { status, stdout, stderr } = spawnSync('lintian', words, { encoding: 'utf8' });
    expect(status, stdout + stderr).to.equal(0);
  });

  it('have no fault by the rules of RPM but the accepted ones', () => {
    const words = [
      '--strict',
      '--config',
      join(packageDir, 'test/plugins/release/rpmlint.toml'),
      fileOf(isWhole ? release : later, 'rpm'),
    ];
    const { status, stdout, stderr } = spawnSync('rpmlint', words, { encoding: 'utf8' });
    expect([status, stderr], stdout).to.deep.equal([0, '']);
    expect(stdout).to.match(/ 0 errors, 0 warnings/);
  });

  it('name the maintainer that the releaser sets, and refuse what is none', () => {
    const control = (of: Release): string =>
      execFileSync('dpkg-deb', ['--field', fileOf(of, 'deb'), 'Maintainer'], { encoding: 'utf8' }).trim();
    expect([control(release), control(later)]).to.deep.equal([unnamedMaintainer, 'Ada <ada@example.com>']);
    const before = process.env['ORB_RELEASE_MAINTAINER'];
    try {
      for (const wrong of ['Ada', 'ada@example.com', 'Ada <ada>', 'A <a@b.example>\nB: c']) {
        process.env['ORB_RELEASE_MAINTAINER'] = wrong;
        expect(() => releaseOf(packageDir), wrong).to.throw('is not of the form "Name <address>"');
      }
    } finally {
      if (before === undefined) delete process.env['ORB_RELEASE_MAINTAINER'];
      else process.env['ORB_RELEASE_MAINTAINER'] = before;
    }
  });

  it('have the manual page that man and mandoc read without a warning', () => {
    const root = join(dir, 'manual');
    execFileSync('dpkg-deb', ['--extract', fileOf(release, 'deb'), root]);
    const page = join(root, 'usr/share/man/man1/orb.1.gz');
    const shown = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-P', 'cat', '-l', page], { encoding: 'utf8' });
    expect([shown.status, shown.stderr]).to.deep.equal([0, '']);
    const linted = spawnSync('mandoc', ['-Tlint', page], { encoding: 'utf8' });
    expect([linted.status, linted.stdout]).to.deep.equal([0, '']);
  });

  it('have units in which systemd finds no fault', () => {
    const root = join(dir, 'units');
    execFileSync('dpkg-deb', ['--extract', fileOf(release, 'deb'), root]);
    const units = join(root, 'usr/lib/systemd/system');
    const checked = join(dir, 'checked');
    mkdirSync(checked);
    for (const name of readdirSync(units)) {
      const text = readFileSync(join(units, name), 'utf8');
      expect(text).to.include('\nExecStart=/usr/bin/orb serve\n');
      // The program is not installed here.
      const here = name.replace('@.', '@a.');
      writeFileSync(join(checked, here), text.replace('/usr/bin/orb', join(root, 'usr/bin/orb')));
      const { stderr, status } = spawnSync('systemd-analyze', ['verify', join(checked, here)], { encoding: 'utf8' });
      expect([status, stderr], name).to.deep.equal([0, '']);
    }
  });

  const rows = [
    {
      kind: 'deb',
      words: {
        install: ['dpkg', '--install'],
        upgrade: ['dpkg', '--install'],
        remove: ['dpkg', '--remove', 'agent-orb-platform'],
        purge: ['dpkg', '--purge', 'agent-orb-platform'],
      },
      run: (root: string, words: readonly string[]) => rootIn(root, ...words),
    },
    {
      kind: 'rpm',
      words: {
        install: ['--install', '--nodeps'],
        upgrade: ['--upgrade', '--nodeps'],
        remove: ['--erase', 'agent-orb-platform'],
        purge: [],
      },
      // The program of this machine writes into the root, where the scripts of the package run.
      run: (root: string, words: readonly string[]) =>
        spawnSync('rpm', ['--root', root, '--force-debian', ...words], { encoding: 'utf8' }),
    },
  ] as const;
  for (const { kind, run, words } of rows)
    describe(kind, () => {
      let root: string;
      let untouched: readonly string[];
      const calls = (): readonly string[] => {
        const file = join(root, 'calls');
        const found = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
        rmSync(file, { force: true });
        return found;
      };
      const step = (what: readonly string[], of?: Release): void => {
        const file = of === undefined ? [] : [kind === 'deb' ? `/${of.version}.deb` : fileOf(of, kind)];
        if (of !== undefined && kind === 'deb') copyFileSync(fileOf(of, kind), join(root, `${of.version}.deb`));
        const { status, stdout, stderr } = run(root, [...what, ...file]);
        rmSync(join(root, file[0] ?? 'nothing'), { force: true });
        expect(status, stdout + stderr).to.equal(0);
      };
      it('installs, and starts nothing', () => {
        root = join(dir, kind);
        unpackDebian(root);
        writeFileSync(join(root, 'usr/bin/systemctl'), systemctl, { mode: 0o755 });
        mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
        untouched = filesIn(root);
        step(words.install, release);
        expect(calls()).to.deep.equal(['daemon-reload']);
        for (const path of installed) expect(existsSync(join(root, path)), path).to.equal(true);
        expect(lstatSync(join(root, 'usr/bin/orb')).mode & 0o7777).to.equal(0o755);
        const { stdout, stderr } = rootIn(root, '/usr/bin/orb', '--version');
        expect(stdout.trim(), stderr).to.match(/^\d+\.\d+\.\d+/);
      });

      it('keeps edited settings at an upgrade, and restarts one server after the other', () => {
        appendFileSync(join(root, settings), '// mine\n');
        step(words.upgrade, later);
        expect(readFileSync(join(root, settings), 'utf8')).to.match(/\/\/ mine\n$/);
        expect(calls().filter((call) => !call.startsWith('list-units'))).to.deep.equal([
          'daemon-reload',
          'try-restart orb.service',
          'restart orb@a.service',
          'restart orb@b.service',
        ]);
      });

      it('stops the servers when it is removed, and leaves only state', () => {
        mkdirSync(join(root, 'var/lib/orb'));
        writeFileSync(join(root, 'var/lib/orb/state'), '');
        step(words.remove);
        expect(calls()).to.deep.equal([
          'stop orb.service orb@*.service',
          '--no-reload disable orb.service orb@.service',
          'daemon-reload',
        ]);
        if (words.purge.length > 0) step(words.purge);
        calls();
        // RPM keeps edited settings under another name.
        const left = filesIn(root).filter((path) => !untouched.includes(path));
        expect(left).to.deep.equal(['var/lib/orb/state', ...(kind === 'rpm' ? [`${settings}.rpmsave`] : [])].sort());
      });
    });
});

/** Lists the files of a root but the records of the package managers. Links are not followed: some lead to this machine. */
function filesIn(root: string): readonly string[] {
  const words = [root, '!', '-type', 'd', '-printf', '%P\n'];
  const { stdout } = spawnSync('find', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .split('\n')
    .filter((path) => path !== '' && !/^(?:dev|run|var\/(?:lib\/dpkg|lock|log|run|cache)|root\/\.rpmdb)\//.test(path))
    .sort();
}
