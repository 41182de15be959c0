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
      platform: {
        store: { several_nodes: true },
        providers: { echo: { adapter: 'echo/local' }, other: { adapter: 'echo/local' } },
      },
    });
  });
  after(async () => {
    Date.now = now;
    relay?.set('open');
    await platform?.stop();
    await relay?.close();
  });

  const self = () => platform.call('GET', '/keys/self');

  interface Answer {
    readonly code?: string;
    readonly run_id?: string;
  }
  const change = async (path: string, body: object, headers = {}) => {
    const response = await fetch(platform.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
  };

  it('lets nobody wait for a change without end: 503 within seconds, and a run that may wait for its turn is named', async () => {
    const queued = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'later' } };
    const later = () => change('/orbisets/default/execute', queued, { prefer: 'respond-async' });
    relay.set('cut');
    const answers = await Promise.all([
      change('/keys', { scopes: ['runs:read'] }),
      change('/providers/demo.echo@1.0.0/swap', { provider: 'other' }),
      change('/orbisets', { id: 'cut', orbs: ['*'] }),
      later(),
    ]);
    for (const { body, headers, status } of answers) {
      expect([status, body.code], JSON.stringify(body)).to.deep.equal([503, 'storage_unavailable']);
      expect(headers.get('retry-after')).to.equal('1');
    }
    const named = answers.map(({ body }) => body.run_id);
    expect(named).to.deep.equal([undefined, undefined, undefined, named[3]]);
    expect(named[3]).to.match(/^run_/);
    relay.set('open');
    const ended = await until(
      () => platform.call('GET', `/runs/${named[3]}`),
      ({ body }) => (body as { readonly status?: string }).status === 'completed',
      'the run',
    );
    expect(ended.status).to.equal(200);
  });

  it('accepts no key, which another server may have revoked, until it has its lease again', async () => {
    expect((await self()).status).to.equal(200);
    // As after a pause: no timer has noticed yet that the lease is over.
    Date.now = () => now() + 15_000;
    const { body, headers, status } = await self();
    expect([status, (body as { code?: string }).code]).to.deep.equal([503, 'storage_unavailable']);
    expect(headers.get('retry-after')).to.equal('1');
    expect((await platform.call('GET', '/health')).status).to.equal(200);
    Date.now = now;
    await until(self, (found) => found.status === 200, 'the key to be accepted');
  });
});
