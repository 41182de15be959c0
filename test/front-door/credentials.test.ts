import { expect } from 'chai';
import { generateToken } from '../../plugins/api-keys/token.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';

const start = Date.parse('2030-01-01T00:00:00Z');

describe('the front door, asked with a credential that it does not accept', () => {
  let platform: TestPlatform;
  let now = start;
  before(async () => {
    platform = await startPlatform({ clock: { now: () => now, monotonic: () => now } });
  });
  after(() => platform.stop());

  interface Refused {
    readonly status: number;
    readonly detail: string;
    readonly challenge: string | null;
  }
  const ask = async (headers: Record<string, string>, path = '/runs', method = 'GET'): Promise<Refused> => {
    // Failures are counted per address and minute; each case is a minute of its own.
    now += 2_000;
    const answer = await fetch(platform.url + path, { method, headers, ...(method === 'POST' && { body: '{}' }) });
    const { detail } = (await answer.json()) as { detail: string };
    return { status: answer.status, detail, challenge: answer.headers.get('www-authenticate') };
  };
  const withKey = (key: string): Promise<Refused> => ask({ authorization: `Bearer ${key}` });
  const none = 'Bearer';
  const wrong = 'Bearer error="invalid_token"';

  const forms: readonly (readonly [string, Record<string, string>, string, RegExp])[] = [
    ['no credential', {}, none, /the request has no API key.*Authorization: Bearer <key>/],
    ['a key in another header', { 'x-api-key': 'abc' }, none, /not read.*`X-Api-Key`.*Authorization: Bearer <key>/],
    ['HTTP Basic', { authorization: 'Basic b3JiOnNlY3JldA==' }, wrong, /scheme Basic.*Authorization: Bearer <key>/],
    ['a key without its scheme', { authorization: generateToken('live') }, wrong, /without "Bearer " before it/],
    ['another scheme', { authorization: 'whatever it is' }, wrong, /does not begin with "Bearer "/],
    ['Bearer alone', { authorization: 'Bearer' }, wrong, /no key after "Bearer"/],
    ['a key in quotes', { authorization: `Bearer "${generateToken('live')}"` }, wrong, /quotes, spaces or other char/],
    ['a variable that was not set', { authorization: 'Bearer $ORB_KEY' }, wrong, /quotes, spaces or other char/],
    ['a text that is too long', { authorization: `Bearer ${'x'.repeat(600)}` }, wrong, /longer than any key/],
    ['another text', { authorization: 'Bearer nonsense' }, wrong, /not an API key of this server.*`orb_live_`/],
    ['a JWT', { authorization: `Bearer ${'e'.repeat(20)}.ab.cd` }, wrong, /JWT.*only API keys/],
    ['a key that was cut off', { authorization: `Bearer ${generateToken('live').slice(0, 40)}` }, wrong, /40 .*of 47/],
    ['a mistyped key', { authorization: `Bearer orb_live_${'a'.repeat(38)}` }, wrong, /checksum does not match/],
    ['an unknown key', { authorization: `Bearer ${generateToken('live')}` }, wrong, /this server has no such key/],
  ];
  for (const [name, headers, challenge, said] of forms)
    it(`says what is wrong: ${name}`, async () => {
      const refused = await ask(headers);
      expect([refused.status, refused.challenge]).to.deep.equal([401, challenge]);
      expect(refused.detail).to.match(said);
      for (const value of Object.values(headers))
        if (value !== 'Bearer') expect(refused.detail).not.to.contain(value.slice(-12));
    });

  it('tells who holds a revoked key that it is revoked, and when', async () => {
    const { body } = await platform.call('POST', '/keys', { scopes: ['runs:read'] });
    await platform.call('DELETE', `/keys/${body.key_id}`);
    const at = new Date(now).toISOString();
    const refused = await withKey(body.key);
    expect([refused.status, refused.challenge]).to.deep.equal([401, wrong]);
    expect(refused.detail).to.contain(body.key_id).and.contain(`was revoked at ${at}`);
  });

  it('tells who holds an expired key that it has expired, and when', async () => {
    const expires_at = new Date(now + 60_000).toISOString();
    const { body } = await platform.call('POST', '/keys', { scopes: ['runs:read'], expires_at });
    now += 60_000;
    const refused = await withKey(body.key);
    expect(refused.detail).to.contain(body.key_id).and.contain(`expired at ${expires_at}`);
  });

  it('tells who knows the id or the beginning of a key no more than who knows nothing', async () => {
    const { body } = await platform.call('POST', '/keys', { scopes: ['runs:read'], mode: 'live' });
    await platform.call('DELETE', `/keys/${body.key_id}`);
    const guessed = [body.key_id, `${body.key.slice(0, 13)}${'a'.repeat(34)}`, generateToken('live')];
    const said = await Promise.all(guessed.map(async (key) => (await withKey(key)).detail));
    for (const detail of said) expect(detail).not.to.match(/revoked at|expired at|key_0/);
  });

  it('says the same at an MCP endpoint and at a route that changes something', async () => {
    const { body } = await platform.call('POST', '/keys', { scopes: ['*'] });
    await platform.call('DELETE', `/keys/${body.key_id}`);
    const authorization = `Bearer ${body.key}`;
    const executed = await ask({ authorization }, '/orbisets/default/execute', 'POST');
    expect(executed.detail).to.contain('was revoked at');
    const headers = {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const answer = await fetch(`${platform.url}/orbisets/default/mcp`, { method: 'POST', headers, body: '{}' });
    expect(answer.status).to.equal(401);
    expect(answer.headers.get('www-authenticate')).to.match(/^Bearer error="invalid_token"/);
    expect(await answer.text()).to.contain('was revoked at');
  });
});
