import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';

const unit = join(packageDir, 'kernel/binary/orb.service');
const lines = readFileSync(unit, 'utf8').split('\n');

describe('the systemd unit', () => {
  it('closes what the program does not need', () => {
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

  it('scores 2.0 at most by systemd-analyze security, where that is installed', function () {
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
    need(this, 'systemd');
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(stdout).to.include('exposure level');
    expect(status, stdout).to.equal(0);
  });
});
