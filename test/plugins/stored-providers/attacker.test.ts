import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { browserCall, ownPage, signIn } from '../console/browser-call.ts';

const orb = 'notify.email@1.0.0';
const body = { adapter: 'email/outbox', config: { directory: 'outbox/taken' } };

/** What somebody with a session, and without its key, may try in order to add or change a provider. */
const attempts: readonly {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly status: number | readonly number[];
}[] = [
  { what: 'adds one', method: 'PUT', path: '/providers/added', body, status: 403 },
  { what: 'changes one', method: 'PUT', path: '/providers/kept', body, status: 403 },
  { what: 'removes one', method: 'DELETE', path: '/providers/kept', status: 403 },
  { what: 'names its ETag', method: 'PUT', path: '/providers/kept', body, headers: { 'if-match': '*' }, status: 403 },
  {
    what: 'sends a key that is none',
    ...{ method: 'PUT', path: '/providers/added', body, status: 401 },
    headers: { authorization: `Bearer orb_live_${'x'.repeat(43)}` },
  },
  {
    what: 'says that it is no browser',
    ...{ method: 'PUT', path: '/providers/added', body, status: [401, 403] },
    headers: { 'sec-fetch-site': 'none', 'orb-console': '0' },
  },
  {
    what: 'hides the method',
    ...{ method: 'POST', path: '/providers/added', body, status: [404, 405] },
    headers: { 'x-http-method-override': 'PUT' },
  },
  {
    what: 'makes a key that may',
    ...{ method: 'POST', path: '/keys', body: { name: 'x', scopes: ['providers:manage'] }, status: 403 },
  },
  {
    what: 'makes a key that may do all',
    ...{ method: 'POST', path: '/keys', body: { name: 'x', scopes: ['*'] }, status: 403 },
  },
  { what: 'makes a link that signs in', method: 'POST', path: '/console/links', status: 403 },
];

describe('an attacker with a session of the console', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let cookie: string;
  let first: string;
  const state = async (): Promise<string> => {
    const list = await platform.call('GET', '/providers/-/configured');
    const kept = await platform.call('GET', '/providers/kept');
    return JSON.stringify([list.body, kept.body, platform.taps.get('attest')]);
  };
  before(async () => {
    platform = await startPlatform({ platform: { providers: { outbox: { adapter: 'email/outbox' } } } });
    const made = await platform.call('PUT', '/providers/kept', { adapter: 'email/outbox' });
    expect(made.status).to.equal(201);
    cookie = await signIn(platform.url, platform.adminKey);
    first = await state();
  });
  after(() => platform?.stop());

  for (const { what, method, path, body: sent, headers = {}, status } of attempts)
    it(`is refused: ${what}`, async () => {
      const all = { ...ownPage, cookie, ...headers };
      const answer = await browserCall(platform.url + path, { method, body: sent, headers: all });
      expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([status].flat());
      expect(await state()).to.equal(first);
    });

  it('sees providers and swaps, for which the session is enough', async () => {
    const headers = { ...ownPage, cookie };
    const shown = await browserCall(`${platform.url}/providers/kept`, { headers });
    expect(shown.status).to.equal(200);
    const url = `${platform.url}/providers/${orb}/swap`;
    const swap = await browserCall(url, { method: 'POST', body: { provider: 'kept' }, headers });
    expect(swap.status, JSON.stringify(swap.body)).to.equal(200);
  });
});
