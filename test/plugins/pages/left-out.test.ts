import { expect } from 'chai';
import { send } from '../../helpers/http.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('a platform without pages', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform({
      platform: { plugins: { pages: false }, providers: { echo: { adapter: 'echo/local' } } },
    });
  });
  after(() => platform.stop());

  it('answers a browser with problems and data', async () => {
    for (const path of [
      '/',
      '/nowhere',
      '/docs',
      '/verify',
      '/marketplace',
      '/status.html',
      '/console',
      '/robots.txt',
    ]) {
      const { headers: answered, json } = await send(platform.url, path, { headers });
      expect(json, path).to.include({ status: 404, code: 'route_not_found' });
      expect(answered.get('content-type'), path).to.equal('application/problem+json');
    }
    expect((await send(platform.url, '/problems/rate_limited', { headers })).json).to.include({ status: 429 });
    expect((await send(platform.url, '/status', { headers })).json).to.include.keys('status', 'services');
    expect((await send(platform.url, '/status/feed.atom', { headers })).text).to.include('<feed');
  });

  it('runs an Orb', async () => {
    const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    const { status, body: answer } = await platform.call('POST', '/orbisets/default/execute', body);
    expect(status, JSON.stringify(answer)).to.equal(200);
  });
});
