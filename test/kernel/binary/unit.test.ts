import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { guideBlocks } from '../../helpers/guide.ts';
import { need } from '../../helpers/needs.ts';
import { pagesFolder } from '../../helpers/pages.ts';

const textOf = (name: string): string => readFileSync(join(packageDir, 'kernel/binary', name), 'utf8');
const limitsOf = (text: string): string => /^NoNewPrivileges=[^]*?(?=\n\n)/m.exec(text)?.[0] ?? '';
const dropIn = guideBlocks(`${pagesFolder}/operate/production.md`).find(({ heading }) => heading === 'systemd');

/** The units as they ship, and with the drop-in of the guide. */
const units = {
  'orb.service': textOf('orb.service'),
  'orb@a.service': textOf('orb@.service'),
  'orb-tools.service': `${textOf('orb.service')}\n${dropIn?.code}`,
} as const;

describe('the systemd units', () => {
  let dir: string;
  before(() => (dir = mkdtempSync(join(tmpdir(), 'orb-units-'))));
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('close what the program does not need, for one server as for several', () => {
    expect(limitsOf(units['orb@a.service'])).to.equal(limitsOf(units['orb.service']));
    const lines = units['orb.service'].split('\n');
    const set = (name: string): readonly string[] =>
      lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
    for (const name of [
      ...['NoNewPrivileges', 'PrivateDevices', 'PrivateIPC', 'PrivateTmp', 'PrivateUsers', 'ProtectHome'],
      ...['ProtectClock', 'ProtectControlGroups', 'ProtectHostname', 'ProtectKernelLogs', 'ProtectKernelModules'],
      ...['ProtectKernelTunables', 'RestrictNamespaces', 'RestrictRealtime', 'RestrictSUIDSGID'],
      ...['LockPersonality', 'RemoveIPC'],
    ])
      expect(set(name), name).to.deep.equal(['yes']);
    expect(set('ProtectSystem')).to.deep.equal(['strict']);
    expect([set('CapabilityBoundingSet'), set('AmbientCapabilities')]).to.deep.equal([[''], ['']]);
    expect(set('RestrictAddressFamilies')).to.deep.equal(['AF_INET AF_INET6 AF_UNIX']);
    expect(set('SystemCallFilter')).to.deep.equal(['@system-service', '~@privileged @resources']);
    expect(set('UMask')).to.deep.equal(['0077']);
    // The engine makes code at run time; the lock of the state dir looks for processes of others.
    expect([set('MemoryDenyWriteExecute'), set('ProtectProc')]).to.deep.equal([[], []]);
  });

  for (const [name, text] of Object.entries(units)) {
    const analyze = (...words: readonly string[]) => {
      const file = join(dir, name);
      // The program is not installed here.
      writeFileSync(file, text.replaceAll('/usr/local/bin/orb ', '/bin/true '));
      return spawnSync('systemd-analyze', [...words, file], { encoding: 'utf8' });
    };

    it(`${name}: systemd finds no fault in it`, function () {
      need(this, 'systemd');
      const { status, stdout, stderr } = analyze('verify');
      expect([status, stdout, stderr]).to.deep.equal([0, '', '']);
    });

    it(`${name}: scores 2.0 at most by systemd-analyze security`, function () {
      need(this, 'systemd');
      const { status, stdout } = analyze('security', '--offline=true', '--threshold=20', '--no-pager');
      expect(stdout).to.match(/exposure level for orb\S+: [01]\.\d/);
      expect(status, stdout).to.equal(0);
    });
  }
});
