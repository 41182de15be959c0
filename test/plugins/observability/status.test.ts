import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import type { Answer } from '../../helpers/platform.ts';
import { lateClock, startIngestion, type IngestionHome } from '../ingestion/home.ts';
import { until } from '../../helpers/until.ts';

const secrets = ['db-prod-17.corp.example', 'Customer Ltd', '<script>alert', 'vendor-label-value'];
const component = (id: string): object => ({ kind: 'component', id });

describe('/status', function () {
  this.timeout(60_000);
  let home: IngestionHome;
  let clock: ReturnType<typeof lateClock>;
  const get = async (path: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(home.platform.url + path, { headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const status = async (): Promise<Answer['body']> => (await get('/status')).body;
  const open = async (severity: string, ...scope: object[]): Promise<string> =>
    (await home.platform.call('POST', '/incidents', { title: secrets[0], severity, scope })).body.incident_id;
  const act = (id: string, verb: string, body: object): Promise<Answer> =>
    home.platform.call('POST', `/incidents/${id}/${verb}`, body);
  const becomes = (fits: (body: Answer['body']) => boolean): Promise<Answer['body']> => until(status, fits);

  beforeEach(async () => {
    clock = lateClock();
    home = await startIngestion({ clock });
  });
  afterEach(() => home.stop());

  it('is coloured by an incident of a component, in words of the platform, and is itself again afterwards', async () => {
    const id = await open('high', component('ingestion'), component('runtime'));
    const body = await becomes(({ incidents }) => incidents.length === 1);
    expect(body.status).to.equal('partial_outage');
    expect(body.services).to.deep.equal({
      runtime: 'partial_outage',
      reputation_ledger: 'operational',
      observable_engine: 'operational',
      ingestion: 'partial_outage',
    });
    expect(body.incidents[0]).to.deep.include({
      id,
      title: 'Runtime, Ingestion: partial outage',
      status: 'investigating',
      impact: 'partial_outage',
      components: ['runtime', 'ingestion'],
      scheduled: false,
      updates: [],
      url: `http://127.0.0.1:0/status.html#${id}`,
    });
    await act(id, 'resolve', { reason: 'mended' });
    const after = await becomes(({ incidents }) => incidents.length === 0);
    expect(after.status).to.equal('operational');
    expect((await get('/status/history')).body.incidents[0]).to.include({
      id,
      status: 'resolved',
      impact: 'partial_outage',
    });
  });

  for (const [severity, impact, platform] of [
    ['critical', 'major_outage', 'partial_outage'],
    ['warning', 'degraded_performance', 'degraded_performance'],
    ['info', 'none', 'operational'],
  ] as const)
    it(`makes of a ${severity} incident of ingestion: ${impact}`, async () => {
      await open(severity, component('ingestion'));
      const body = await becomes(({ incidents }) => incidents.length === 1);
      expect([body.incidents[0].impact, body.status]).to.deep.equal([impact, platform]);
    });

  it('is not coloured by incidents of Orbs and providers', async () => {
    await open('critical', { kind: 'orb', id: 'demo.echo@1.0.0' });
    await open('critical', { kind: 'provider', id: 'outbox' });
    // What came after them is seen, so they were.
    await open('warning', component('ingestion'));
    const body = await becomes(({ incidents }) => incidents.length > 0);
    expect(body.status).to.equal('degraded_performance');
    expect(body.incidents).to.have.lengthOf(1);
    expect((await get('/status/history')).body.incidents).to.have.lengthOf(1);
    expect((await get('/api/v2/incidents.json')).body.incidents).to.have.lengthOf(1);
  });

  it('shows what an operator wrote for everybody, and nothing of what was not', async () => {
    const id = await open('high', component('ingestion'));
    await act(id, 'notes', { text: 'only for us', public: false });
    await act(id, 'notes', { text: 'A queue is full.', public: true, phase: 'identified' });
    const { incidents } = await becomes((body) => body.incidents[0]?.updates.length === 1);
    expect(incidents[0].status).to.equal('identified');
    expect(incidents[0].updates[0]).to.include({ status: 'identified', message: 'A queue is full.' });
    expect(JSON.stringify(incidents)).not.to.include('only for us');
  });

  it('never shows a word of a vendor', async () => {
    const source = await home.source({
      name: 'one',
      vendor: 'generic',
      binding: component('reputation_ledger'),
      policy: { hold_s: 0 },
    });
    const labels = { host: secrets[0], customer: secrets[1], [secrets[3] ?? '']: secrets[2] };
    const text = JSON.stringify({ id: 'a', state: 'firing', severity: 'critical', title: secrets.join(' '), labels });
    const signature = createHmac('sha256', source.secret).update(text).digest('hex');
    await home.hook(source.path, { headers: { 'x-signature': signature }, body: text });
    const body = await becomes(({ incidents }) => incidents.length === 1);
    expect(body.incidents[0].title).to.equal('Reputation ledger: partial outage');
    const paths = ['/status', '/status/history', '/status/formula', '/status.html'];
    for (const path of [
      ...paths,
      '/api/v2/summary.json',
      '/api/v2/incidents.json',
      '/api/v2/incidents/unresolved.json',
    ]) {
      const shown = await (await fetch(home.platform.url + path)).text();
      for (const secret of secrets) expect(shown, path).not.to.include(secret);
    }
  });

  it('forgets an incident that was retracted, and its downtime', async () => {
    const id = await open('critical', component('runtime'));
    expect((await becomes(({ incidents }) => incidents.length === 1)).status).to.equal('major_outage');
    clock.ahead(5000);
    await becomes(({ uptime_30d_pct: pct }) => pct < 100);
    await act(id, 'retract', { reason: 'a false alarm' });
    const after = await becomes(({ incidents }) => incidents.length === 0);
    expect(after).to.include({ status: 'operational', uptime_30d_pct: 100 });
    expect((await get('/status/history')).body.incidents).to.deep.equal([]);
  });

  it('counts the downtime of an incident that goes on, and tells from what', async () => {
    await open('high', component('ingestion'));
    await becomes(({ incidents }) => incidents.length === 1);
    clock.ahead(10_000);
    const { body: formula } = await until(
      () => get('/status/formula'),
      ({ body }) => body.services.ingestion.downtime_seconds >= 5,
    );
    expect(formula.platform.uptime_pct).to.equal(formula.services.ingestion.uptime_pct);
    expect(formula.services.runtime.downtime_seconds).to.equal(0);
    expect(formula.platform.downtime_seconds).to.be.at.most(formula.platform.observed_seconds / 2);
    expect(formula.weights).to.deep.equal({
      operational: 0,
      degraded_performance: 0,
      partial_outage: 0.5,
      major_outage: 1,
    });
    expect((await status()).uptime_30d_pct).to.be.within(1, 99.999);
  });

  it('shows maintenance while it lasts, and does not count it', async () => {
    const now = clock.now();
    const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString();
    const scope = [component('runtime')];
    const plan = { title: 'A new disk', scope, starts_at: at(3600), ends_at: at(7200) };
    expect((await home.platform.call('POST', '/maintenance', plan)).status).to.equal(201);
    const summary = await until(
      async () => (await get('/api/v2/summary.json')).body,
      (body) => body.scheduled_maintenances.length === 1,
    );
    expect(summary.scheduled_maintenances[0]).to.include({
      name: 'A new disk',
      status: 'scheduled',
      impact: 'maintenance',
      scheduled_for: plan.starts_at,
      scheduled_until: plan.ends_at,
    });
    expect(await status()).to.deep.include({ status: 'operational', incidents: [] });
    clock.ahead(3_700_000);
    const body = await becomes(({ status: word }) => word === 'under_maintenance');
    expect(body.incidents[0]).to.include({ title: 'A new disk', status: 'in_progress', scheduled: true });
    expect((await get('/api/v2/summary.json')).body.status).to.deep.equal({
      indicator: 'maintenance',
      description: 'Service Under Maintenance',
    });
    const { services } = (await get('/status/formula')).body;
    expect(services.runtime.observed_seconds).to.be.lessThan(services.ingestion.observed_seconds);
  });

  it('has an ETag and may be read by any page; who has it gets 304', async () => {
    for (const path of ['/status', '/status/formula', '/status/history?days=2', '/api/v2/summary.json']) {
      // A look of the board between the two changes the answer: then once more.
      await until(
        async () => {
          const { headers } = await get(path);
          expect(headers.get('access-control-allow-origin')).to.equal('*');
          expect(headers.get('cache-control')).to.equal('public, max-age=10, stale-while-revalidate=60');
          return get(path, { 'if-none-match': `"other", W/${headers.get('etag')}` });
        },
        (again) => again.status === 304 && again.body === undefined,
      );
      expect((await get(path, { 'if-none-match': '"other"' })).status).to.equal(200);
    }
  });

  it('tells the days of the past, newest first; what nobody observed has no percentage', async () => {
    const { days, complete } = (await get('/status/history?days=3')).body;
    expect(complete).to.equal(true);
    expect(days.map(({ day }: { day: string }) => day)).to.deep.equal(['2026-11-21', '2026-11-20', '2026-11-19']);
    expect(days[0]).to.include({ status: 'operational', uptime_pct: 100 });
    expect(days[1]).to.have.all.keys('day', 'downtime_seconds', 'services');
    for (const days of [0, 91, 'x']) expect((await get(`/status/history?days=${days}`)).status).to.equal(400);
  });
});
