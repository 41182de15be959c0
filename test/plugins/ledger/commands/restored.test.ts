import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from '../../../../kernel/cli/command/client.ts';
import { exportLedger } from '../../../../plugins/ledger/commands/export.ts';
import { replayLedger } from '../../../../plugins/ledger/commands/replay.ts';
import { runCommand, shippedCommand } from '../../../helpers/command.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import type { TestPlatform } from '../../../helpers/platform.ts';
import { startMarket } from '../market.ts';

const orbId = 'test.record@1.0.0';
const dayMs = 86_400_000;

describe('orb ledger replay of a store that was restored', function () {
  this.timeout(60_000);
  let stop = (): Promise<void> => Promise.resolve();
  after(() => stop());

  it('is equal after a rotation and the restore, also to who remembers the log as it was at the backup', async () => {
    const { adapter } = createRecorder();
    let now = Date.UTC(2026, 0, 1, 12);
    const clock = { now: () => now, monotonic: () => performance.now() };
    const options = { adapters: [adapter], clock };
    const market = await startMarket({
      ...options,
      platform: { providers: { main: { adapter: 'record/local', config: { name: 'live' } } } },
      data: { [`orbs/${orbId}.json`]: recordOrb({}) },
    });
    let platform: TestPlatform = market.platform;
    stop = () => platform.stop();
    const { home, stateDir } = platform;
    const execute = async (): Promise<void> => {
      const body = { orb_id: orbId, inputs: { token: 't' } };
      for (let at = 0; at < 3; at++)
        expect((await platform.call('POST', '/orbisets/default/execute', body)).status).to.equal(200);
    };
    const replayed = async (folder: string) => {
      const client = () => createClient({ ORB_URL: platform.url, ORB_KEY: platform.adminKey }, stateDir);
      expect((await runCommand(exportLedger, stateDir, [join(home, folder)], { client })).exit).to.equal(0);
      copyFileSync(join(stateDir, 'jwks.json'), join(auditor, 'jwks.json'));
      return (await runCommand(replayLedger, auditor, [join(home, folder)])).exit;
    };
    const auditor = join(home, 'auditor');
    mkdirSync(auditor);
    await execute();
    now += dayMs;
    await market.endDay();
    await platform.call('POST', '/signing-keys/rotate', { role: 'log' });
    await execute();
    expect(await replayed('before')).to.equal(0);
    expect(existsSync(join(auditor, 'seen-checkpoints.json'))).to.equal(true);

    const copy = join(home, 'copy');
    expect(await runCommand(shippedCommand('backup'), stateDir, [copy])).to.have.property('exit', 0);
    await execute();
    await platform.stop({ keep: true });
    await runCommand(shippedCommand('restore'), stateDir, [copy], { options: { replace: true } });
    ({ platform } = await startMarket({ ...options, home }));
    await execute();
    expect(await replayed('after')).to.equal(0);
  });
});
