import { need } from '../../../helpers/needs.ts';
import { installWheel, startCaller, type InstalledWheel, type PythonCaller } from '../python/installed.ts';
import { countedOrb, createCounted, type Counted } from '../vendor.ts';
import { callers, callThroughKills, kills, startServer } from './kills.ts';

describe(`the Python client and kill -9 of the server (${kills} times, ${callers} callers)`, function () {
  this.timeout(90_000 + kills * 20_000);
  let installed: InstalledWheel;
  let counted: Counted;
  let caller: PythonCaller;
  before(async function () {
    need(this, 'python');
    [installed, counted] = [await installWheel(), await createCounted()];
  });
  after(async () => {
    await caller?.stop();
    await counted?.served.remove();
    installed?.remove();
  });

  it('has no second effect, no false outcome, and settles what is unknown', async () => {
    const { key, pin, url } = await startServer(counted);
    caller = startCaller(installed, url, key, pin);
    await callThroughKills(counted, {
      run: (token) => caller.run(countedOrb, { token }, { key: token, timeout: 30 }),
      settle: (outcome) => caller.settle(outcome, { timeout: 5 }),
    });
  });
});
