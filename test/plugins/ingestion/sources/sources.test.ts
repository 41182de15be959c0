import { expect } from 'chai';
import { expectProblem, send } from '../../../helpers/http.ts';
import { golden, lateClock, startIngestion, type IngestionHome } from '../home.ts';
import { storedBytes } from '../../../helpers/stored.ts';

const json = { 'content-type': 'application/json' };

describe('sources', function () {
  this.timeout(120_000);
  const clock = lateClock();
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion({ clock });
  });
  after(() => home.stop());

  const post = (path: string, body?: object) => home.platform.call('POST', path, body);
  const alerts = (fingerprint: string) => golden('alertmanager.firing').replace('9f0a1b2c3d4e5f60', fingerprint);
  const authorized = (secret: string) => ({ ...json, authorization: `Bearer ${secret}` });

  it('need the scope sources:manage, deliveries too', async () => {
    const key = await home.platform.key({ name: 'x', scopes: ['orbs:execute'] });
    const managing = await home.platform.key({ name: 'y', scopes: ['sources:manage'] });
    for (const path of ['/sources', '/deliveries']) {
      expectProblem(await send(home.platform.url, path, { key }), 403, 'insufficient_scope');
      expectProblem(await send(home.platform.url, path), 401, 'unauthenticated');
      expect((await send(home.platform.url, path, { key: managing })).status).to.equal(200);
    }
  });

  it('are of vendors that are listed, each with what to enter there', async () => {
    const { vendors } = (await home.get('/sources/vendors')) as unknown as {
      vendors: { vendor: string; schemes: string[]; setup: { url: string; steps: string[]; snippets: object[] } }[];
    };
    expect(vendors.map(({ vendor }) => vendor)).to.include.members(['pagerduty', 'alertmanager', 'generic']);
    for (const { vendor, schemes, setup } of vendors) {
      expect(schemes, vendor).not.to.deep.equal([]);
      expect(setup.steps, vendor).not.to.deep.equal([]);
      expect(JSON.stringify(setup), vendor).to.include('/hooks/{source_token}');
    }
  });

  it('show token and secret once, and keep neither in the clear', async () => {
    const made = await post('/sources', { name: 'once', vendor: 'alertmanager' });
    const { token, secret, source, setup } = made.body;
    expect(token).to.match(/^[A-Za-z0-9_-]{43}$/);
    expect(JSON.stringify(setup)).to.include(token).and.include(secret);
    for (const path of ['', '/setup', '/health']) {
      const shown = JSON.stringify(await home.get(`/sources/${source.source_id}${path}`));
      expect(shown).to.not.include(token).and.not.include(secret);
    }
    const bytes = await storedBytes(home.platform.home);
    for (const word of [secret, token]) expect(bytes.includes(word)).to.equal(false);
  });

  it('have one to three active secrets, with an overlap', async () => {
    const { source_id, path, secret } = await home.source({ name: 'three', vendor: 'alertmanager' });
    const add = (body: object = {}) => post(`/sources/${source_id}/secrets`, body);
    const second = await add();
    await add();
    const fourth = await add();
    expect([fourth.status, fourth.body.code]).to.deep.equal([409, 'secret_limit']);
    for (const version of [1, 3]) await home.platform.call('DELETE', `/sources/${source_id}/secrets/${version}`);
    const last = await home.platform.call('DELETE', `/sources/${source_id}/secrets/2`);
    expect([last.status, last.body.code]).to.deep.equal([409, 'secret_limit']);
    expect((await home.hook(path, { headers: authorized(secret), body: alerts('a') })).status).to.equal(401);
    const next = await add({ retire_others_after_s: 60 });
    expect(next.body.version, 'a version is never used again').to.equal(4);
    const old = authorized(second.body.secret);
    expect((await home.hook(path, { headers: old, body: alerts('b') })).status).to.equal(202);
    clock.ahead(61_000);
    expect((await home.hook(path, { headers: old, body: alerts('c') })).status).to.equal(401);
    const fresh = authorized(next.body.secret);
    expect((await home.hook(path, { headers: fresh, body: alerts('c') })).status).to.equal(202);
  });

  it('take the secret that the vendor made, and refuse one that cannot serve', async () => {
    const given = await home.source({ name: 'pd', vendor: 'pagerduty', secret: 'the vendor made this one' });
    expect(given.secret).to.equal('the vendor made this one');
    const refused = [
      { name: 'x', vendor: 'standard-webhooks', secret: 'whsec_short' },
      { name: 'x', vendor: 'alertmanager', secret: 'short' },
      { name: 'x', vendor: 'alertmanager', auth: { scheme: 'url' }, secret: 'a'.repeat(30) },
      { name: 'x', vendor: 'github', auth: { scheme: 'basic' } },
      { name: 'x', vendor: 'generic', auth: { signed: 'ts.body' } },
      { name: 'x', vendor: 'generic', delivery_header: 'Authorization' },
      { name: 'x', vendor: 'generic', auth: { scheme: 'header' }, delivery_header: 'X-Orb-Token' },
      { name: 'x', vendor: 'generic', auth: { scheme: 'header', header: 'X-Key' }, delivery_header: 'x-key' },
      { name: 'x', vendor: 'nobody' },
      { name: 'x', vendor: 'github', may_name: { orbs: ['*'] } },
    ];
    for (const body of refused)
      expect((await post('/sources', body)).body.code, JSON.stringify(body)).to.equal('invalid_body');
  });

  it('get a new address, and the old one is gone at once', async () => {
    const { source_id, path, secret } = await home.source({ name: 'moved', vendor: 'alertmanager' });
    const moved = await post(`/sources/${source_id}/token`);
    expect(moved.status).to.equal(201);
    const sent = { headers: authorized(secret), body: alerts('moved') };
    expect((await home.hook(path, sent)).status).to.equal(404);
    expect((await home.hook(`/hooks/${moved.body.token}`, sent)).status).to.equal(202);
  });

  it('are changed and removed; deliveries of a removed one stay', async () => {
    const { source_id, path, secret } = await home.source({ name: 'gone', vendor: 'alertmanager' });
    const changed = await home.platform.call('PATCH', `/sources/${source_id}`, { name: 'other', retention_days: 7 });
    expect(changed.body).to.include({ name: 'other', retention_days: 7 });
    const { body } = await home.hook(path, { headers: authorized(secret), body: alerts('gone') });
    await home.settled(body.delivery_id);
    expect((await home.platform.call('DELETE', `/sources/${source_id}`)).status).to.equal(204);
    expect((await home.hook(path, { headers: authorized(secret), body: alerts('late') })).status).to.equal(404);
    const missing = await home.platform.call('GET', `/sources/${source_id}`);
    expect([missing.status, missing.body.code]).to.deep.equal([404, 'source_not_found']);
    expect((await home.get(`/deliveries/${body.delivery_id}`)).delivery.state).to.equal('done');
    const { sources } = await home.get('/sources?limit=100');
    expect(sources.map((one: { source_id: string }) => one.source_id)).to.not.include(source_id);
  });

  it('are stale after the silence they were told to expect', async () => {
    const { source_id, path, secret } = await home.source({ name: 's', vendor: 'alertmanager', silent_after_s: 600 });
    const status = async () => (await home.get(`/sources/${source_id}/health`)).status;
    expect(await status()).to.equal('unused');
    const { body } = await home.hook(path, { headers: authorized(secret), body: alerts('stale') });
    await home.settled(body.delivery_id);
    expect(await status()).to.equal('ok');
    clock.ahead(601_000);
    expect(await status()).to.equal('stale');
  });

  it('survive a restart, secrets and what waits too', async () => {
    const one = await startIngestion();
    const source = await one.source({ name: 'kept', vendor: 'alertmanager', paused: true });
    const sent = await one.hook(source.path, { headers: authorized(source.secret), body: alerts('kept') });
    await one.platform.stop({ keep: true });
    const two = await startIngestion({ home: one.platform.home });
    const again = await two.hook(source.path, { headers: authorized(source.secret), body: alerts('kept') });
    expect([again.status, again.body.delivery_id]).to.deep.equal([200, sent.body.delivery_id]);
    await two.platform.call('PATCH', `/sources/${source.source_id}`, { paused: false });
    expect((await two.settled(sent.body.delivery_id)).delivery.state).to.equal('done');
    await two.stop();
  });
});
