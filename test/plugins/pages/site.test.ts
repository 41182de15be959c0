import { expect } from 'chai';
import { createPages } from '../../../plugins/pages/pages.ts';
import { createPresent } from '../../../plugins/pages/site/present.ts';
import { siteRoutes } from '../../../plugins/pages/site/routes.ts';
import { send } from '../../helpers/http.ts';
import { fullKey, startHttp, type Fixture } from '../../kernel/http/fixture.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the site', () => {
  let http: Fixture;
  before(async () => {
    const installation = { brand: { name: 'Agent Orb Platform' }, publicUrl: 'http://orb.test', version: '1.2.3' };
    const pages = createPages(installation);
    http = await startHttp({
      present: createPresent(pages, installation.publicUrl),
      added: siteRoutes(pages, installation),
    });
  });
  after(() => http.http.drain(0));
  const get = (path: string, accept: string, method = 'GET') => send(http.base, path, { method, headers: { accept } });

  it('begins with a page; who asks for JSON gets the problem that was there before', async () => {
    for (const accept of [browser, '*/*']) {
      const { status, headers, text } = await get('/', accept);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('vary')).to.match(/^Accept\b/);
      expect(text).to.include('1.2.3').and.include('http://orb.test');
    }
    expect((await get('/', 'application/json')).json).to.include({ status: 404, code: 'route_not_found' });
  });

  it('shows a problem to a person as a page, with its status and headers, and to a program as data', async () => {
    const page = await get('/nowhere', browser);
    expect(page.status).to.equal(404);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'");
    for (const words of ['There is no such route', 'What it means', 'What to do', 'req_'])
      expect(page.text).to.include(words);
    for (const accept of ['*/*', 'application/json', ''])
      expect((await get('/nowhere', accept)).json).to.include({ status: 404, code: 'route_not_found' });
    expect((await get('/fails/storage', browser)).headers.get('retry-after')).to.equal('3');
    expect((await get('/things/1', browser)).headers.get('www-authenticate')).to.equal('Bearer');
    expect((await get('/things/1', browser)).status).to.equal(401);
  });

  it('shows public data to a person as a page with the same headers, and what needs a key as data', async () => {
    const data = await get('/list', 'application/json');
    const page = await get('/list', browser);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'");
    expect(page.text).to.include('Page a list').and.include('curl http://orb.test/list');
    for (const name of Object.keys(data.json)) expect(page.text).to.include(`&#34;${name}&#34;`);
    const keyed = await send(http.base, '/things/1', { key: fullKey, headers: { accept: browser } });
    expect(keyed.headers.get('content-type')).to.equal('application/json');
  });

  it('answers what changes something as data, whoever asks', async () => {
    expect((await get('/created', browser, 'POST')).json).to.include({ code: 'unauthenticated' });
    expect((await get('/fails/throw', browser)).text)
      .to.include('500')
      .and.not.include('hunter2');
  });

  it('writes what a stranger sent as text', async () => {
    const { text } = await get('/problems/constructor', browser);
    expect(text).to.include('o problem has the code constructor');
    const list = await get(`/list?tier=${encodeURIComponent('<script>alert(1)</script>')}`, browser);
    expect(list.status).to.equal(400);
    expect(list.text).to.not.include('<script>alert');
  });

  it('has a mark, and words for robots and models', async () => {
    expect((await get('/favicon.ico', '*/*')).headers.get('content-type')).to.equal('image/svg+xml');
    expect((await get('/robots.txt', '*/*')).text).to.match(/^User-agent: \*\n/);
    expect((await get('/llms.txt', '*/*')).text)
      .to.match(/^# Agent Orb Platform\n\n> /)
      .and.include('http://orb.test/openapi.json');
  });
});
