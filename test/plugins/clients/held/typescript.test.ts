import { countedOrb } from '../vendor.ts';
import { installClient, type Installed } from '../built.ts';
import { openOffice, testHeld, type Office } from './cases.ts';

describe('runs that people must approve, by the TypeScript client', function () {
  this.timeout(60_000);
  let installed: Installed;
  let office: Office;
  before(async () => {
    [installed, office] = [await installClient(), await openOffice()];
  });
  after(async () => {
    await office?.desk.stop();
    installed?.remove();
  });

  testHeld(
    ({ desk, pin }) => {
      const orb = new installed.client.Orb(desk.url(), desk.keys.agent, { pin });
      return {
        run: (token, options) => orb.run(countedOrb, { token }, { key: token, timeout: 30_000, ...options }),
        settle: async (outcome, timeout) => ('settle' in outcome ? outcome.settle({ timeout }) : outcome),
      };
    },
    () => office,
  );
});
