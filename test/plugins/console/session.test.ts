import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { browserCall, ownPage, signIn } from './browser-call.ts';
import { sessionOver } from '../../../plugins/console/session/end-reason.ts';
import { storedBytes } from '../../helpers/stored.ts';

const minute = 60_000;

describe('a session of the console', () => {
  let platform: TestPlatform;
  let now = Date.parse('2030-01-01T00:00:00Z');
  const clock = { now: () => now, monotonic: () => now };
  const lines: string[] = [];
  before(async () => {
    platform = await startPlatform({ clock, onLog: (line) => lines.push(line) });
  });
  after(() => platform.stop());

  const at = (path: string): string => platform.url + path;
  const withCookie = (cookie: string, more: Record<string, string> = {}) => ({ ...ownPage, cookie, ...more });
  const session = (cookie: string) => browserCall(at('/console/session'), { headers: withCookie(cookie) });
  const key = (body: object) => platform.key({ mode: 'live', ...body });

  it('begins with a key, bears its name and scopes, and is set for this browser alone', async () => {
    const made = await platform.call('POST', '/keys', { scopes: ['runs:read'], name: 'watcher' });
    const answer = await browserCall(at('/console/session'), { method: 'POST', body: { key: made.body.key } });
    expect(answer.status).to.equal(201);
    const { known_scopes, key_scopes, ...told } = answer.body;
    expect(known_scopes).to.include.members(['runs:read', 'incidents:read']);
    expect(key_scopes).to.deep.equal([
      'keys:manage',
      'marketplace:publish',
      'nodes:manage',
      'policies:activate',
      'providers:manage',
      'signing-keys:manage',
    ]);
    expect(told).to.deep.equal({
      ...{ key_id: made.body.key_id, name: 'watcher', principal: made.body.principal, tenant: 'default' },
      ...{ scopes: ['runs:read'], mode: 'live', listens: true },
      expires_at: new Date(now + 12 * 60 * minute).toISOString(),
      idle_expires_at: new Date(now + 30 * minute).toISOString(),
    });
    expect(answer.cookie).to.match(/^orb_console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const cookie = answer.cookie?.split(';')[0] ?? '';
    expect((await session(cookie)).body).to.deep.equal(answer.body);
    expect((await browserCall(at('/runs'), { headers: withCookie(cookie) })).status).to.equal(200);
    expect((await browserCall(at('/keys'), { headers: withCookie(cookie) })).body.code).to.equal('insufficient_scope');
  });

  for (const [scopes, listens] of [
    [['orbs:execute:demo.*'], true],
    [['keys:manage'], true],
    [['sources:manage', 'stats:read'], false],
  ] as const)
    it(`says whether it may follow events, as the stream answers: ${scopes.join()}`, async () => {
      const cookie = await signIn(platform.url, await key({ scopes }));
      expect((await session(cookie)).body.listens).to.equal(listens);
      const stop = new AbortController();
      const headers = { ...withCookie(cookie), accept: 'text/event-stream' };
      const answer = await fetch(at('/events'), { headers, signal: stop.signal });
      expect(answer.status).to.equal(listens ? 200 : 403);
      stop.abort();
    });

  it('ends after 30 minutes without a use, and not while it is used', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    for (let use = 0; use < 3; use += 1) {
      now += 30 * minute - 1;
      expect((await session(cookie)).status, String(use)).to.equal(200);
    }
    now += 30 * minute;
    const ended = await session(cookie);
    expect([ended.status, ended.body.code]).to.deep.equal([401, 'unauthenticated']);
    expect(ended.body.detail).to.equal('the session ended after 30 minutes without use; sign in again');
  });

  it('ends after 12 hours, however much it is used', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    for (let used = 0; used < 12 * 60 * minute - 20 * minute; used += 20 * minute) {
      now += 20 * minute;
      expect((await session(cookie)).status).to.equal(200);
    }
    now += 20 * minute - 1;
    expect((await session(cookie)).status).to.equal(200);
    now += 1;
    const ended = await session(cookie);
    expect([ended.status, ended.body.detail]).to.deep.equal([
      401,
      'the session ended, because a session lasts at most 12 hours; sign in again',
    ]);
  });

  it('ends with its key: revoked, or expired', async () => {
    const revoked = await platform.call('POST', '/keys', { scopes: ['runs:read'] });
    const expiring = await key({ scopes: ['runs:read'], expires_at: new Date(now + minute).toISOString() });
    const [one, other] = [await signIn(platform.url, revoked.body.key), await signIn(platform.url, expiring)];
    expect([(await session(one)).status, (await session(other)).status]).to.deep.equal([200, 200]);
    await platform.call('DELETE', `/keys/${revoked.body.key_id}`);
    expect((await session(one)).status).to.equal(401);
    now += minute;
    const ended = await session(other);
    expect([ended.status, ended.body.detail]).to.deep.equal([
      401,
      'the session ended because its key was revoked or has expired; sign in with another key',
    ]);
    const again = (key: string) => browserCall(at('/console/session'), { method: 'POST', body: { key } });
    expect((await again(revoked.body.key)).body.detail).to.contain('was revoked at');
    expect((await again(expiring)).body.detail).to.contain('expired at');
    expect((await again('two words')).body.detail).to.contain('not an API key');
  });

  it('is a use of its key whenever it is used', async () => {
    const made = await platform.call('POST', '/keys', { scopes: ['runs:read'] });
    const cookie = await signIn(platform.url, made.body.key);
    now += 5 * minute;
    expect((await session(cookie)).status).to.equal(200);
    const used = await until(
      async () => (await platform.call('GET', `/keys/${made.body.key_id}`)).body.last_used_at,
      (found) => found === new Date(now).toISOString(),
    );
    expect(used).to.equal(new Date(now).toISOString());
  });

  it('ends when its user signs out, and the browser drops the cookie', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    const out = await browserCall(at('/console/session'), { method: 'DELETE', headers: withCookie(cookie) });
    expect(out.status).to.equal(204);
    expect(out.cookie).to.match(/^orb_console=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/);
    const ended = await session(cookie);
    expect([ended.status, ended.body.detail]).to.deep.equal([401, sessionOver]);
  });

  it('is of no use to a key: with both, the key alone counts', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    const authorization = `Bearer ${await key({ scopes: ['orbs:read'] })}`;
    const asked = await browserCall(at('/console/session'), { headers: withCookie(cookie, { authorization }) });
    expect(asked.body.scopes).to.deep.equal(['orbs:read']);
    expect(asked.body).not.to.have.property('expires_at');
    const wrong = { headers: withCookie(cookie, { authorization: 'Bearer nothing' }) };
    expect((await browserCall(at('/console/session'), wrong)).status).to.equal(401);
  });

  it('takes no key out of a cookie', async () => {
    for (const name of ['orb_console', '__Host-orb_console'])
      expect((await session(`${name}=${platform.adminKey}`)).status).to.equal(401);
  });

  it('does not count when the cookie stands twice: another port of this machine may have set one', async () => {
    const [mine, theirs] = [await signIn(platform.url, platform.adminKey), 'orb_console=x'];
    expect((await session(`a=b; ${mine}`)).status).to.equal(200);
    expect((await session(`${mine}; ${theirs}`)).status).to.equal(401);
    expect((await session(`${theirs}; ${mine}`)).status).to.equal(401);
  });

  const sites = ['same-origin', 'same-site', 'cross-site', 'none', undefined] as const;
  for (const site of sites)
    for (const header of [true, false])
      it(`by a page that is ${site ?? 'unknown'}, ${header ? 'with' : 'without'} the header`, async () => {
        const headers = {
          cookie: await signIn(platform.url, platform.adminKey),
          ...(site && { 'sec-fetch-site': site }),
          ...(header && { 'orb-console': '1' }),
        };
        const counts = site === 'same-origin' && header;
        expect((await browserCall(at('/runs'), { headers })).status).to.equal(counts ? 200 : 401);
        const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } };
        const ran = await browserCall(at('/orbisets/default/execute'), { method: 'POST', headers, body });
        expect(ran.status).to.equal(counts ? 200 : 401);
        // Its key sees what a published Orb does not show to all; nobody else does.
        const events = await fetch(at('/events'), { headers: { ...headers, accept: 'text/event-stream' } });
        await events.body?.cancel();
        expect(events.status, 'an event source sends no header').to.equal(site === 'same-origin' ? 200 : 401);
      });

  for (const [name, headers] of [
    ['of another site', { 'sec-fetch-site': 'cross-site', 'orb-console': '1' }],
    ['of another port', { 'sec-fetch-site': 'same-site', 'orb-console': '1' }],
    ['without the header', { 'sec-fetch-site': 'same-origin' }],
    ['that is no browser', { 'orb-console': '1' }],
  ] as const)
    it(`is not begun by a page ${name}`, async () => {
      const answer = await browserCall(at('/console/session'), {
        ...{ method: 'POST', headers, body: { key: platform.adminKey } },
      });
      expect([answer.status, answer.body.code, answer.cookie]).to.deep.equal([403, 'not_from_console', undefined]);
    });

  it('survives a restart', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    await platform.stop({ keep: true });
    platform = await startPlatform({ clock, home: platform.home, onLog: (line) => lines.push(line) });
    expect((await session(cookie)).status).to.equal(200);
  });

  it('leaves neither key nor token in the store or in the log', async () => {
    const cookie = await signIn(platform.url, platform.adminKey);
    expect((await session(cookie)).status).to.equal(200);
    const stored = (await storedBytes(platform.home)).toString('latin1');
    expect(stored).not.to.be.empty;
    const held = [stored, ...lines];
    for (const secret of [platform.adminKey, cookie.split('=')[1] ?? ''])
      expect(held.filter((text) => text.includes(secret))).to.deep.equal([]);
    expect(lines.some((line) => line.includes('a console session started'))).to.equal(true);
  });

  it('counts wrong keys and links like any failed authentication', async () => {
    const answers: number[] = [];
    for (let tries = 0; tries < 61; tries += 1) {
      const body = tries % 2 === 0 ? { key: 'orb_live_wrong' } : { link: 'wrong' };
      answers.push((await browserCall(at('/console/session'), { method: 'POST', body })).status);
    }
    expect(answers.slice(0, 10)).to.deep.equal(Array(10).fill(401));
    expect(answers.at(-1)).to.equal(429);
  });
});
