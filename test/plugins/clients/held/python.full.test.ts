import { need } from '../../../helpers/needs.ts';
import { countedOrb } from '../vendor.ts';
import { installWheel, startCaller, type InstalledWheel, type PythonCaller } from '../python/installed.ts';
import { openOffice, testHeld, type Office } from './cases.ts';

describe('runs that people must approve, by the Python client', function () {
  this.timeout(60_000);
  let installed: InstalledWheel;
  let office: Office;
  let python: PythonCaller | undefined;
  before(async function () {
    need(this, 'python');
    [installed, office] = [await installWheel(), await openOffice()];
  });
  after(async () => {
    await python?.stop();
    await office?.desk.stop();
    installed?.remove();
  });

  testHeld(
    ({ desk, pin }) => {
      const caller = (python = startCaller(installed, desk.url(), desk.keys.agent, pin));
      return {
        run: (token, options) => caller.run(countedOrb, { token }, { key: token, timeout: 30, ...options }),
        settle: (outcome, timeout) => caller.settle(outcome, { timeout: timeout / 1000 }),
      };
    },
    () => office,
  );
});
