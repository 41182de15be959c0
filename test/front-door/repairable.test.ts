import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';

const echo = 'demo.echo@1.0.0';
const mailOrb = 'notify.email@1.0.0';
const mail = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'hi' };
const execute = '/orbisets/default/execute';
const schedules = '/orbisets/default/schedules';

interface Told {
  readonly detail: string;
  readonly title: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

describe('a wrong request can be repaired from its answer alone', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform({
      platform: {
        providers: {
          outbox: { adapter: 'email/outbox' },
          backup: { adapter: 'email/outbox' },
          echo: { adapter: 'echo/local' },
          away: { adapter: 'email/smtp', config: { host: '127.0.0.1', port: 1, starttls: 'never' } },
        },
        bindings: { [mailOrb]: ['outbox', 'backup'] },
      },
    });
    await platform.call('POST', '/orbisets', { id: 'echoes', orbs: ['demo.*'] });
    await platform.call('POST', '/orbisets', { id: 'other', tenant: 'acme', orbs: ['notify.*'] });
  });
  after(() => platform.stop());

  const told = async (method: string, path: string, body?: unknown, key?: string | null): Promise<Told> =>
    (await platform.call(method, path, body, key)).body as Told;
  const signIn = async (body: object): Promise<Told> => {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'orb-console': '1' };
    const answer = await fetch(`${platform.url}/console/session`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Told;
  };
  const pointers = ({ errors = [] }: Told): readonly string[] => errors.map(({ pointer }) => pointer);

  it('says how several recipients are written, with an example of two', async () => {
    for (const to of [['ada@example.com', 'bob@example.com'], 5, undefined]) {
      const { errors = [] } = await told('POST', execute, { orb_id: mailOrb, inputs: { ...mail, to } });
      expect(errors).to.have.lengthOf(1);
      expect(errors[0]?.detail).to.match(/commas between them.*`ada@example\.com, Bob <bob@example\.com>`/);
    }
    const body = { orb_id: mailOrb, inputs: { ...mail, to: ['a', 'b'] }, cron: '0 8 * * *' };
    expect((await told('POST', schedules, body)).errors?.[0]?.detail).to.include('commas between them');
  });

  it('says what a member of a list in the inputs is', async () => {
    const attachments = [{ filename: 'a.txt', content_base64: 5 }];
    const { errors = [] } = await told('POST', execute, { orb_id: mailOrb, inputs: { ...mail, attachments } });
    expect(errors[0]?.detail).to.match(/^must be a string\. Content of the file in base64/);
  });

  it('lists unknown members first, and all other faults of the body with them', async () => {
    const schedule = { name: 'morning', orb_id: echo, inputs: { text: 'x' }, cron: '0 8 * *', timezone: 'Berlin' };
    const answer = await told('POST', schedules, schedule);
    expect(pointers(answer)).to.deep.equal(['#/name', '#/cron', '#/timezone']);
    expect(answer.detail).to.match(
      /#\/name is not a known field.*#\/cron .*it has 4 fields.*#\/timezone .*Europe\/Berlin\?/,
    );
    expect(pointers(await told('POST', '/keys', { nmae: 'x', scopes: ['runs:raed'], mode: 'prod' }))).to.deep.equal([
      '#/nmae',
      '#/mode',
      '#/scopes/0',
    ]);
    expect(pointers(await told('POST', execute, { orb_id: 'x', mode: 'live', text: 'x' }))).to.deep.equal([
      '#/text',
      '#/inputs',
      '#/orb_id',
      '#/mode',
    ]);
  });

  it('lists the faults of the inputs with those of the body, of an Orb that the caller may run', async () => {
    const body = { orb_id: mailOrb, inputs: { ...mail, to: 5 }, mod: 'x' };
    for (const path of [execute, schedules]) {
      const { errors = [] } = await told('POST', path, { ...body, ...(path === schedules ? { cron: 'x' } : {}) });
      expect(errors.at(0)?.pointer).to.equal('#/mod');
      expect(errors.at(-1)).to.deep.include({ pointer: '#/inputs/to' });
      expect(errors.at(-1)?.detail).to.include('commas between them');
    }
    const demo = await platform.key({ scopes: ['orbs:execute:demo.*'] });
    expect(pointers(await told('POST', execute, body, demo))).to.deep.equal(['#/mod']);
  });

  it('lists both faults of the times of a schedule', async () => {
    const answer = await told('POST', schedules, { orb_id: echo, inputs: { text: 'x' }, cron: 'x', timezone: 'Paris' });
    expect(pointers(answer)).to.deep.equal(['#/cron', '#/timezone']);
  });

  for (const [written, meant] of [
    ['Berlin', 'Europe/Berlin'],
    ['europe/berlni', 'Europe/Berlin'],
    ['New York', 'America/New_York'],
    ['America/New York', 'America/New_York'],
    ['Tokio', 'Asia/Tokyo'],
  ] as const)
    it(`names the time zone that was meant: ${written}`, async () => {
      const body = { orb_id: echo, inputs: { text: 'x' }, cron: '0 8 * * *', timezone: written };
      const { detail } = await told('POST', schedules, body);
      expect(detail)
        .to.match(/such as Europe\/Berlin|written like Europe\/Berlin/)
        .and.include(`did you mean ${meant}?`);
    });

  it('gives the form of the member that was meant', async () => {
    const body = { orb_id: echo, inputs: { text: 'x' }, cron: '0 8 * * *', time_zone: 'Berlin' };
    expect((await told('POST', schedules, body)).detail).to.include('did you mean `timezone`? Example: Europe/Berlin');
  });

  it('says which scope covers the Orb, and how a scope is narrowed', async () => {
    const demo = await platform.key({ scopes: ['orbs:execute:demo.*', 'schedules:manage'] });
    const forms =
      /`orbs:execute:notify\.email@1\.0\.0` \(this Orb\), `orbs:execute:notify\.\*` \(its namespace\) or `orbs:execute`/;
    expect((await told('POST', execute, { orb_id: mailOrb, inputs: mail }, demo)).detail).to.match(forms);
    const scheduled = await told('POST', schedules, { orb_id: mailOrb, inputs: mail, cron: '0 8 * * *' }, demo);
    expect(scheduled.detail).to.match(forms);
    const reader = await platform.key({ scopes: ['runs:read'] });
    expect((await told('POST', execute, { orb_id: mailOrb, inputs: mail }, reader)).detail).to.include(
      'or narrowed, e.g. `orbs:execute:notify.*`',
    );
    expect((await told('DELETE', '/keys/key_x', undefined, reader)).detail).to.include(
      '`orb keys create --scope keys:manage`',
    );
  });

  for (const [written, meant] of [
    ['orb:execute:notify.*', 'orbs:execute:notify.*'],
    ['orbs:excute:notify.email@1.0.0', 'orbs:execute:notify.email@1.0.0'],
    ['runs:read:notify.*', 'runs:read'],
  ] as const)
    it(`names the scope that was meant: ${written}`, async () => {
      const { detail } = await told('POST', '/keys', { scopes: [written] });
      expect(detail).to.include(`did you mean ${meant}?`);
      expect(detail).to.include('narrows orbs:execute: orbs:execute:notify.*');
    });

  it('names the scopes of a key that may not grant another one', async () => {
    const key = await platform.key({ scopes: ['keys:manage', 'orbs:execute:demo.*'] });
    const { detail } = await told('POST', '/keys', { scopes: ['orbs:execute'] }, key);
    expect(detail).to.include('does not have orbs:execute, it has keys:manage, orbs:execute:demo.*');
  });

  it('lists all faults of a query, and gives the form of the parameter that was meant', async () => {
    const { detail } = await told('GET', '/runs?state=failed&since=yesterday&orb=notify.*&to=now&limit=1000');
    expect(detail).to.match(/unknown query parameter "state"; did you mean status\?/);
    expect(detail).to.match(/"since"; did you mean from\? It is a date or a time.*2026-01-31 or 2026-01-31T12:00:00Z/);
    expect(detail).to.match(/"orb"; did you mean orb_id\?.*a name \(all its versions\), or `notify\.\*`/);
    expect(detail).to.match(/query parameter to must be a date or a time \(RFC 3339\), such as 2026-01-31/);
    expect(detail).to.match(/limit must be 100 or less; `next_cursor` of the answer is the `cursor` of the next page/);
  });

  it('lists the filters that are wrong with the unknown parameters, and suggests none that is given', async () => {
    const { detail } = await told('GET', '/runs?orb=notify.*&orb_id=notify*&status=fialed');
    expect(detail).to.match(/unknown query parameter "orb";(?! did you)/);
    expect(detail).to.match(/orb_id must be the id of an Orb.*a namespace \(notify\.\*\)/);
    expect(detail).to.include('did you mean failed?');
    const digits = await told('GET', '/runs?state=failed&limit=ten');
    expect(digits.detail).to.match(/"state".*limit must be a whole number in decimal digits/);
    const both = { orb_id: echo, inputs: { text: 'x', txet: 'x' } };
    expect((await told('POST', execute, both)).errors?.[0]?.detail).to.equal('is not a known field; remove it');
  });

  it('gives the form of a member that has no example', async () => {
    const key = await told('POST', '/keys', { scopes: 'runs:read', expires: '30d', mode: 'sandbox' });
    expect(key.detail).to.include('did you mean `expires_at`? Example: 2026-01-31T12:00:00Z');
    expect(key.detail).to.include('must be an array, e.g. ["orbs:execute:notify.*"');
    expect(key.detail).to.include('must be one of live, test. With a `test` key, only sandbox providers serve');
    const set = await told('POST', '/orbisets', { id: 'x', orbs: ['*'], retention: 7 });
    expect(set.detail).to.include('did you mean `retention_days`? It is an object with inputs, outputs');
  });

  it('names the vendor that was meant', async () => {
    const { detail } = await told('POST', '/sources', { name: 'dd', vendor: 'datadoc' });
    expect(detail).to.match(/must be one of .*datadog.*did you mean datadog\?/);
  });

  for (const [body, said] of [
    [{ key: 'Bearer orb_live_x' }, /"Bearer " before the key; send the key alone/],
    [{ token: 'x' }, /#\/token is not a known field.*send either `key` or `link`/],
    [{}, /send either `key` or `link`/],
    [{ link: 'x' }, /or sign in with a key/],
  ] as const)
    it(`says how to sign in to the console: ${JSON.stringify(body)}`, async () => {
      expect((await signIn(body)).detail).to.match(said);
    });

  for (const [inputs, said] of [
    [{ reply_to: 'Ada <ada@example.com' }, /`<` or `>` in the wrong place; write local@domain or Name <local@domain>/],
    [{ from_address: 'orb@' }, /no valid domain after the @/],
    [{ attachments: [{ filename: 'a', content_base64: 'aGk' }] }, /the text "hi" is aGk=/],
  ] as const)
    it(`says how an input is written that the capability refuses: ${JSON.stringify(inputs)}`, async () => {
      const { detail } = await told('POST', execute, { orb_id: mailOrb, inputs: { ...mail, ...inputs } });
      expect(detail).to.match(said);
    });

  for (const [written, meant] of [
    ['until=2026-01-31', 'to'],
    ['page=2', 'cursor'],
    ['per_page=10', 'limit'],
    ['orbiset=default', 'orbiset_id'],
  ] as const)
    it(`names the parameter that was meant: ${written}`, async () => {
      expect((await told('GET', `/runs?${written}`)).detail).to.include(`did you mean ${meant}?`);
    });

  it('says that the first page needs no cursor', async () => {
    const { detail, errors = [] } = await told('GET', '/runs?cursor=2');
    expect(detail).to.include('the first page needs no cursor');
    expect(errors[0]?.detail).to.include('`next_cursor` of the previous page');
  });

  it('names the Orbisets of the caller that hold an Orb, and how to add it', async () => {
    const inputs = mail;
    const { detail } = await told('POST', '/orbisets/echoes/execute', { orb_id: mailOrb, inputs });
    expect(detail).to.include('these Orbisets hold it: default, other').and.include('PUT /orbisets/echoes');
    const own = await platform.key({ scopes: ['orbs:execute'] });
    const seen = await told('POST', '/orbisets/echoes/execute', { orb_id: mailOrb, inputs }, own);
    expect(seen.detail).to.include('hold it: default;').and.not.include('other');
    const body = { orb_id: mailOrb, inputs, cron: '0 8 * * *' };
    expect((await told('POST', '/orbisets/echoes/schedules', body)).detail).to.include('hold it: default');
    const far = await platform.key({ scopes: ['*'], tenant: 'acme' });
    expect((await told('POST', '/orbisets/other/execute', { orb_id: echo, inputs: {} }, far)).detail).to.include(echo);
  });

  it('says what decides whether a run is live', async () => {
    const rule = /a test key, or `sandbox: true` in the body.*a live key uses the active provider of the Orb/;
    const answer = await told('POST', execute, { orb_id: mailOrb, inputs: mail, mode: 'live' });
    expect(answer.errors?.[0]?.detail).to.match(rule);
    await platform.call('POST', '/orbisets', { id: 'none', orbs: ['*'], providers: ['nobody'] });
    const none = await told('POST', '/orbisets/none/execute', { orb_id: mailOrb, inputs: mail });
    expect(none.detail).to.match(rule);
  });

  it('names the providers that fit to a caller who may see them, and else where they are listed', async () => {
    const swap = `/providers/${mailOrb}/swap`;
    const fits = 'with the capability email there are outbox, backup, away';
    expect((await told('POST', swap, { provider: 'smtp-main' })).detail).to.include(fits);
    expect((await told('POST', swap, { provider: 'echo' })).detail).to.include(fits);
    const weak = await platform.key({ scopes: ['providers:swap'] });
    const { detail } = await told('POST', swap, { provider: 'smtp-main' }, weak);
    expect(detail).to.include('GET /providers').and.not.include('backup');
  });

  it('says why a provider could not be opened for a swap to a caller who may see providers', async () => {
    const swap = `/providers/${mailOrb}/swap`;
    expect((await told('POST', swap, { provider: 'away' })).detail).to.match(
      /the old provider stays bound: the mail server could not be reached \(ECONNREFUSED\).*tried: 127\.0\.0\.1:1$/,
    );
    const weak = await platform.key({ scopes: ['providers:swap'] });
    const { detail } = await told('POST', swap, { provider: 'away' }, weak);
    expect(detail).to.match(/stays bound; see the log for the cause$/);
  });

  it('names no path where none is near', async () => {
    for (const path of ['/wp-login.php', '/orbisets//execute', `/${'x'.repeat(500)}`])
      expect((await told('GET', path)).detail, path).to.equal('no route here; GET /openapi.json lists them');
  });

  it('says how a webhook is signed, so that a sender with the secret can do it', async () => {
    const { body: source } = await platform.call('POST', '/sources', { name: 'gh', vendor: 'github' });
    const answer = await told('POST', `/hooks/${source.token}`, { zen: 'x' }, null);
    expect(answer.detail).to.match(
      /header `x-hub-signature-256`.*its value is `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal digits; the key is the secret/,
    );
    expect(answer.title).not.to.include('API key');
    const raw = JSON.stringify({ zen: 'x' });
    const value = `sha256=${createHmac('sha256', source.secret).update(raw).digest('hex')}`;
    const signed = await fetch(`${platform.url}/hooks/${source.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': value },
      body: raw,
    });
    expect(signed.status).to.equal(202);
  });
});
