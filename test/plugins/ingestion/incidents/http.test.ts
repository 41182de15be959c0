import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import type { Answer } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { startIngestion, type IngestionHome, type MadeSource } from '../home.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 21, 11) + second * 1000).toISOString();

/** Says something of an alert to a source, signed. */
async function say(home: IngestionHome, source: MadeSource, body: object): Promise<Answer> {
  const text = JSON.stringify({ id: 'a', state: 'firing', severity: 'critical', title: 'down', time: at(0), ...body });
  const signature = createHmac('sha256', source.secret).update(text).digest('hex');
  const answer = await home.hook(source.path, {
    headers: { 'content-type': 'application/json', 'x-signature': signature },
    body: text,
  });
  await home.settled(answer.body.delivery_id);
  return answer;
}

describe('incidents over HTTP', function () {
  this.timeout(240_000);
  let home: IngestionHome;
  const open = async (query = ''): Promise<readonly Answer['body'][]> =>
    (await home.get(`/incidents?state=unresolved${query}`)).incidents;

  beforeEach(async () => {
    home = await startIngestion();
  });
  afterEach(() => home.stop());

  it('a signed alert opens an attested incident, which marks its provider and shows in lists', async () => {
    const source = await home.source({
      name: 'one',
      vendor: 'generic',
      binding: { kind: 'provider', id: 'outbox' },
      policy: { hold_s: 0 },
    });
    await say(home, source, {});
    await until(open, ({ length }) => length === 1, 'an incident');
    const [incident] = await open('&provider=outbox');
    expect(incident).to.deep.include({ kind: 'alerts', state: 'open', severity: 'critical', impact: 'major_outage' });
    const receipt = await home.get(`/receipts/${incident.receipt_id}`);
    expect(receipt.signature_valid).to.equal(true);
    expect(receipt.statement.predicate.facts).to.deep.include({ change: 'opened', change_number: 1, state: 'open' });
    const health = async (): Promise<string> => {
      const { providers } = await home.get('/providers/notify.email%401.0.0/status');
      return providers.find(({ name }: { name: string }) => name === 'outbox').health;
    };
    await until(health, (found) => found === 'down', 'the provider to be down');
    await say(home, source, { state: 'resolved', time: at(60) });
    await until(open, ({ length }) => length === 0, 'its end');
    await until(health, (found) => found !== 'down', 'the provider to be down no more');
  });

  it('a test delivery opens no incident, whatever its vendor makes of it', async () => {
    const binding = { kind: 'provider', id: 'outbox' };
    for (const vendor of ['alertmanager', 'datadog', 'generic']) {
      const { source_id } = await home.source({ name: vendor, vendor, binding });
      const { body } = await home.platform.call('POST', `/sources/${source_id}/test`);
      const { signals } = await home.settled(body.delivery_id);
      expect(signals.map(({ test }: Answer['body']) => test)).to.deep.equal([true]);
    }
    await say(home, await home.source({ name: 'real', vendor: 'generic', binding }), {});
    await until(open, ({ length }) => length > 0, 'the incident of a real alert');
    const { incidents } = await home.get('/incidents');
    expect(incidents.map(({ kind }: Answer['body']) => kind)).to.deep.equal(['alerts']);
  });

  it('a payload cannot name a subject outside may_name', async () => {
    const source = await home.source({
      name: 'one',
      vendor: 'generic',
      may_name: { orbs: ['demo.*'], providers: ['echo'], components: [] },
    });
    await say(home, source, { labels: { orb_id: 'notify.email@1.0.0' } });
    await say(home, source, { id: 'b', labels: { provider: 'outbox' } });
    await say(home, source, { id: 'c', labels: { component: 'runtime' } });
    await say(home, source, { id: 'd', labels: { orb_id: 'demo.echo@1.0.0' } });
    await until(open, ({ length }) => length > 0, 'an incident');
    expect((await open()).map(({ scope }) => scope)).to.deep.equal([[{ kind: 'orb', id: 'demo.echo@1.0.0' }]]);
  });

  it('an alert that is repeated beside others is one event; one that begins again is another', async () => {
    const binding = { kind: 'provider', id: 'outbox' };
    const source = await home.source({ name: 'am', vendor: 'alertmanager', binding });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${source.secret}` };
    const alert = (fingerprint: string, second: number) => ({ status: 'firing', fingerprint, startsAt: at(second) });
    const bodies = [[alert('a', 0)], [alert('a', 0), alert('b', 1)], [alert('a', 0)], [alert('a', 9), alert('b', 1)]];
    for (const [index, alerts] of bodies.entries()) {
      const { status, body } = await home.hook(source.path, { headers, body: JSON.stringify({ alerts }) });
      expect(status).to.equal(index === 2 ? 200 : 202);
      await home.settled(body.delivery_id);
    }
    const events = async (): Promise<readonly number[]> => {
      const [incident] = await open();
      if (incident === undefined) return [];
      const { alerts } = await home.get(`/incidents/${incident.incident_id}`);
      return alerts.map((one: { readonly events: number }) => one.events);
    };
    await until(events, (found) => found.join() === '2,1', 'two events of one, and one of the other');
  });

  it('a weak signal cannot raise or join the incident of a strong one', async () => {
    const binding = { kind: 'provider', id: 'outbox' };
    const strong = await home.source({ name: 'strong', vendor: 'generic', binding });
    const weak = await home.source({ name: 'weak', vendor: 'generic', binding, auth: { scheme: 'url' } });
    await say(home, strong, { severity: 'warning' });
    await say(home, weak, { severity: 'critical' });
    await until(open, ({ length }) => length === 2, 'both');
    const [sure] = await open('&provider=outbox');
    expect((await open('&provider=outbox')).length).to.equal(1);
    expect(sure).to.deep.include({ severity: 'warning', corroborated: false, change_number: 1 });
    const other = (await open()).find(({ kind }: Answer['body']) => kind === 'weak');
    expect(other).to.deep.include({ scope: [], severity: 'critical' });
    const evidence = await home.get(`/incidents/${other.incident_id}/evidence`);
    expect(evidence.deliveries.map(({ auth_strength }: Answer['body']) => auth_strength)).to.deep.equal(['url_token']);
  });

  it('a forged delivery and a duplicate change nothing', async () => {
    const source = await home.source({
      name: 'one',
      vendor: 'generic',
      binding: { kind: 'orb', id: 'demo.echo@1.0.0' },
    });
    await say(home, source, {});
    await until(open, ({ length }) => length === 1, 'an incident');
    const [before] = await open();
    const again = await say(home, source, {});
    expect(again.body.status).to.equal('duplicate');
    const forged = { ...source, secret: 'not the secret' };
    const text = JSON.stringify({ id: 'b', state: 'firing', severity: 'critical' });
    const signature = createHmac('sha256', forged.secret).update(text).digest('hex');
    const { status } = await home.hook(source.path, { headers: { 'x-signature': signature }, body: text });
    expect(status).to.equal(401);
    expect(await open()).to.deep.equal([before]);
  });

  it('people open, acknowledge, note, resolve and retract, each with a receipt and a reason that stays', async () => {
    const call = async (path: string, body: object): Promise<Answer> => home.platform.call('POST', path, body);
    const scope = [{ kind: 'component', id: 'ingestion' }];
    const made = await call('/incidents', { title: 'slow', severity: 'warning', scope });
    expect(made.status).to.equal(201);
    const path = `/incidents/${made.body.incident_id}`;
    expect((await call(`${path}/acknowledge`, {})).body.state).to.equal('acknowledged');
    const noted = await call(`${path}/notes`, { text: 'a queue is full', public: true, phase: 'identified' });
    expect([noted.status, noted.body.phase]).to.deep.equal([201, 'identified']);
    expect((await call(`${path}/resolve`, {})).status).to.equal(422);
    expect((await call(`${path}/resolve`, { reason: 'Integrity ' })).status).to.equal(422);
    const resolved = await call(`${path}/resolve`, { reason: 'emptied the queue' });
    expect(resolved.body).to.deep.include({ state: 'resolved', reason: 'emptied the queue', resolution: 'manual' });
    expect((await call(`${path}/resolve`, { reason: 'again' })).body.code).to.equal('incident_conflict');
    const retracted = await call(`${path}/retract`, { reason: 'a false alarm' });
    expect(retracted.body).to.deep.include({ retracted: true, reason: 'a false alarm' });
    const shown = await home.get(path);
    expect(shown.reason).to.equal('a false alarm');
    expect(shown.changes.map(({ change }: Answer['body']) => change)).to.deep.equal([
      'opened',
      'changed',
      'changed',
      'retracted',
    ]);
    expect((await call('/incidents/inc_01JD5ZK0000000000000000000/retract', { reason: 'x' })).status).to.equal(404);
    const unknown = { title: 'x', severity: 'high', scope: [{ kind: 'component', id: 'kitchen' }] };
    expect((await call('/incidents', unknown)).status).to.equal(422);
  });

  it('a key needs the scope of the act', async () => {
    const key = await home.platform.key({ name: 'reader', scopes: ['incidents:read'] });
    const body = { title: 'x', severity: 'high', scope: [{ kind: 'component', id: 'runtime' }] };
    expect((await home.platform.call('POST', '/incidents', body, key)).status).to.equal(403);
    expect((await home.platform.call('GET', '/incidents', undefined, key)).status).to.equal(200);
    expect((await home.platform.call('GET', '/incidents', undefined, null)).status).to.equal(401);
  });

  it('pages with a cursor, newest first', async () => {
    const scope = [{ kind: 'component', id: 'runtime' }];
    for (const title of ['1', '2', '3'])
      await home.platform.call('POST', '/incidents', { title, severity: 'info', scope });
    const first = await home.get('/incidents?limit=2');
    const next = await home.get(`/incidents?limit=2&cursor=${first.next_cursor}`);
    const titles = [...first.incidents, ...next.incidents].map(({ title }: Answer['body']) => title);
    expect(titles).to.deep.equal(['3', '2', '1']);
    expect(next.next_cursor).to.equal(undefined);
  });

  it('maintenance opens nothing, and what still fires at its end opens then', async () => {
    const call = home.platform.call;
    const scope = [{ kind: 'provider', id: 'outbox' }];
    const now = Date.UTC(2026, 10, 21, 12);
    const times = { starts_at: new Date(now).toISOString(), ends_at: new Date(now + 3_600_000).toISOString() };
    const made = await call('POST', '/maintenance', { title: 'moving', scope, ...times });
    expect(made.status).to.equal(201);
    const past = { ...times, starts_at: at(0) };
    expect((await call('POST', '/maintenance', { title: 'hiding', scope, ...past })).status).to.equal(422);
    const over = { starts_at: new Date(now - 5000).toISOString(), ends_at: new Date(now - 2000).toISOString() };
    expect((await call('POST', '/maintenance', { title: 'over', scope, ...over })).status).to.equal(422);
    const source = await home.source({ name: 'one', vendor: 'generic', binding: scope[0] });
    await say(home, source, { time: new Date(now + 30_000).toISOString() });
    expect(await open()).to.deep.equal([]);
    const path = `/maintenance/${made.body.maintenance_id}`;
    expect((await call('PATCH', path, { starts_at: new Date(now + 60_000).toISOString() })).status).to.equal(422);
    expect((await home.get('/maintenance')).windows).to.have.length(1);
    expect((await call('DELETE', path)).status).to.equal(204);
    expect((await home.get('/maintenance')).windows).to.have.length(0);
    await until(open, ({ length }) => length === 1, 'an incident');
  });
});
