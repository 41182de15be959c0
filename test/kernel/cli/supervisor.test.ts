import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { tellSupervisor } from '../../../kernel/cli/serve.ts';

describe('what the supervisor is told', () => {
  it('goes by its own command, only where it asks', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'orb-supervisor-'));
    try {
      const said = join(dir, 'said');
      writeFileSync(join(dir, 'systemd-notify'), `#!/bin/sh\necho "$1 $NOTIFY_SOCKET" >> ${said}\n`);
      chmodSync(join(dir, 'systemd-notify'), 0o755);
      const env = { PATH: `${dir}:/bin:/usr/bin` };
      tellSupervisor(env, 'stopping');
      tellSupervisor({ ...env, NOTIFY_SOCKET: '/run/notify' }, 'ready');
      while (!existsSync(said) || !readFileSync(said, 'utf8').endsWith('\n'))
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect(readFileSync(said, 'utf8')).to.equal('--ready /run/notify\n');
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('is nothing where that command is missing', () => {
    tellSupervisor({ PATH: '/nowhere', NOTIFY_SOCKET: '/run/notify' }, 'ready');
  });
});
