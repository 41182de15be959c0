import { OrbClient } from '../../../../plugins/clients/typescript/src/orb.ts';
import { startStormy, storm, weatherStorm, type Stormy } from './stormy.ts';

describe(`the TypeScript client in storms (${storm.calls} calls)`, function () {
  this.timeout(60_000 + storm.calls * 100);
  let stormy: Stormy;
  before(async () => {
    stormy = await startStormy();
  });
  after(() => stormy?.close());

  it('calls each action once under one key, says nothing false, and always ends', async () => {
    const orb = new OrbClient(stormy.url, 'orb_test_x', { verify: 'never' });
    await weatherStorm(stormy, (token) => orb.run('test.record@1.0.0', { token }, { timeout: storm.timeout }));
  });
});
