import { expect } from 'chai';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { startRelay, type Relay } from './helpers/relay.ts';
import { until } from './helpers/until.ts';
import { usePostgres } from './helpers/use-postgres.ts';

const { now } = Date;

describe('a server that is cut off from its database for longer than its lease', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let platform: TestPlatform;
  let relay: Relay;
  before(async () => {
    await server.client('cut');
    relay = await startRelay(server.socket);
    const url = `postgres://orb@127.0.0.1:${relay.port}/cut?sslmode=disable`;
    platform = await startPlatform({
      env: { ORB_STORE_URL: url, ORB_MASTER_KEY: 'ab'.repeat(32), ORB_NODE: 'a' },
      platform: { store: { several_nodes: true } },
    });
  });
  after(async () => {
    Date.now = now;
    relay?.set('open');
    await platform?.stop();
    await relay?.close();
  });

  const self = () => platform.call('GET', '/keys/self');

  it('accepts no key, which another server may have revoked, until it has its lease again', async () => {
    expect((await self()).status).to.equal(200);
    relay.set('cut');
    // As after a pause: no timer has noticed yet that the lease is over.
    Date.now = () => now() + 15_000;
    const { body, headers, status } = await self();
    expect([status, (body as { code?: string }).code]).to.deep.equal([503, 'storage_unavailable']);
    expect(headers.get('retry-after')).to.equal('1');
    expect((await platform.call('GET', '/health')).status).to.equal(200);
    Date.now = now;
    relay.set('open');
    await until(self, (found) => found.status === 200, 'the key to be accepted');
  });
});
