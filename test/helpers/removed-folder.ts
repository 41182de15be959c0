import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

/** Expects that a command of `orb` says in one line that it was started in a folder that was removed. */
export function expectRefusedInRemovedFolder(...command: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'orb-removed-'));
  const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
  const options = { env: { PATH: process.env['PATH'] }, encoding: 'utf8' } as const;
  const { status, stderr, stdout } = spawnSync('sh', ['-c', script, 'sh', folder, ...command], options);
  expect({ status, stderr, stdout }, command.join(' ')).to.deep.equal({
    ...{ status: 1, stdout: '' },
    stderr: 'orb: the working directory no longer exists; change to a folder that does\n',
  });
}
