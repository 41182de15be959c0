import { expect } from 'chai';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { runCommand } from '../../../helpers/command.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';

describe('orb log fsck beside a server', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;

  before(async () => {
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
  });
  after(async () => {
    await receipts.stop();
    dir.remove();
  });

  it('finds a store to be whole while it is written', async () => {
    for (let round = 0; round < 5; round++) {
      const attesting = Promise.all(Array.from({ length: 300 }, () => receipts.attest(newRun())));
      const { exit, value } = await runCommand<{ flaws: object[] }>(fsckCommand, dir.path, []);
      await attesting;
      expect([exit, value.flaws]).to.deep.equal([0, []]);
    }
  }).timeout(60_000);
});
