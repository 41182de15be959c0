import { need } from '../../../helpers/needs.ts';
import { installWheel, startCaller, type InstalledWheel, type PythonCaller } from '../python/installed.ts';
import { startStormy, storm, weatherStorm, type Stormy } from './stormy.ts';

describe(`the Python client in storms (${storm.calls} calls)`, function () {
  this.timeout(90_000 + storm.calls * 200);
  let installed: InstalledWheel;
  let stormy: Stormy;
  let caller: PythonCaller;
  before(async function () {
    need(this, 'python');
    [installed, stormy] = [await installWheel(), await startStormy()];
    caller = startCaller(installed, stormy.url, 'orb_test_x', undefined);
  });
  after(async () => {
    await caller?.stop();
    stormy?.close();
    installed?.remove();
  });

  it('calls each action once under one key, says nothing false, and always ends', async () => {
    const timeout = storm.timeout / 1000;
    // Python has started when it has answered.
    await caller.run('test.record@1.0.0', { token: 'start' }, { timeout });
    await weatherStorm(stormy, (token) => caller.run('test.record@1.0.0', { token }, { timeout }));
  });
});
