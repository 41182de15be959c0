import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';

describe('the addresses that monitors ask', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  for (const path of ['/health', '/health/ready', '/status'])
    for (const more of ['', '?', '/', '?cache=17', '/?a=1&a=2', '?%61=%00'])
      it(`${path}${more} is answered`, async () => {
        expect((await platform.call('GET', path + more, undefined, null)).status).to.equal(200);
      });

  for (const [method, path, status] of [
    ['POST', '/health/', 405],
    ['GET', '/health//', 404],
    ['GET', '/status/formula/', 404],
    ['GET', '/status/formula?x=1', 400],
    ['GET', '/orbs/', 404],
  ] as const)
    it(`${method} ${path} stays ${status}`, async () => {
      expect((await platform.call(method, path)).status).to.equal(status);
    });
});
