import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { golden, lateClock, startIngestion, type IngestionHome, type MadeSource } from '../../home.ts';
import { storedBytes } from '../../../../helpers/stored.ts';
import { until } from '../../../../helpers/until.ts';

const soak = process.env['INGEST_SOAK'] === '1';
const rounds = soak ? 20 : 4;

describe('the pipeline', function () {
  this.timeout(300_000);
  const clock = lateClock();
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion({ clock });
  });
  after(() => home.stop());

  const headers = ({ secret }: MadeSource) => ({
    'content-type': 'application/json',
    authorization: `Bearer ${secret}`,
  });
  const limits = { burst: 100_000, rate_per_second: 10_000 };
  const alerts = (fingerprint: string) => golden('alertmanager.firing').replace('9f0a1b2c3d4e5f60', fingerprint);

  it(`makes one signal of ${rounds * 50} equal deliveries, and counts the refreshes`, async () => {
    const source = await home.source({ name: 'am', vendor: 'alertmanager', limits });
    const ids = new Set<string>();
    let accepted = 0;
    for (let round = 0; round < rounds; round++) {
      const sent = Array.from({ length: 50 }, () =>
        home.hook(source.path, { headers: headers(source), body: alerts('same') }),
      );
      for (const { status, body } of await Promise.all(sent)) {
        if (status === 202) accepted += 1;
        ids.add(body.delivery_id);
      }
    }
    expect([ids.size, accepted]).to.deep.equal([1, 1]);
    const [id = ''] = ids;
    const { delivery, signals } = await home.settled(id);
    expect(delivery).to.include({ duplicates: rounds * 50 - 1, refreshes: rounds * 50 - 1, signals: 1 });
    expect(signals).to.have.length(1);
    expect(delivery.last_seen_at > delivery.received_at).to.equal(true);
  });

  it('does not take a repeated attempt of a vendor that names its deliveries for a refresh', async () => {
    const source = await home.source({ name: 'ce', vendor: 'cloudevents' });
    const send = () =>
      home.hook(source.path, {
        headers: { ...headers(source), 'content-type': 'application/cloudevents+json' },
        body: golden('cloudevents.firing'),
      });
    const { body } = await send();
    await send();
    const { delivery } = await home.settled(body.delivery_id);
    expect(delivery).to.include({ duplicates: 1, refreshes: 0 });
  });

  it(`serves others while one batch of ${soak ? '20,000 alerts and 10 MB' : '4,000 alerts and 2 MB'} is worked on`, async () => {
    const big = await home.source({ name: 'big', vendor: 'alertmanager', limits });
    const small = await home.source({ name: 'small', vendor: 'alertmanager', limits });
    const many = soak ? 20_000 : 4_000;
    const [alert] = (JSON.parse(golden('alertmanager.firing')) as { alerts: [object] }).alerts;
    const list = Array.from({ length: many }, (_, index) => ({
      ...alert,
      fingerprint: `f${index}`,
      pad: 'x'.repeat(145),
    }));
    const body = JSON.stringify({ version: '4', truncatedAlerts: 0, alerts: list });
    const begun = performance.now();
    const { status, body: answer } = await home.hook(big.path, { headers: headers(big), body });
    const acknowledged = performance.now() - begun;
    expect(status).to.equal(202);
    const times: number[] = [];
    let bigWaits = true;
    for (let index = 0; bigWaits; index++) {
      const sent = performance.now();
      const one = await home.hook(small.path, { headers: headers(small), body: alerts(`small-${index}`) });
      await home.settled(one.body.delivery_id);
      times.push(performance.now() - sent);
      bigWaits = (await home.get(`/deliveries/${answer.delivery_id}`)).delivery.state === 'queued';
    }
    const { delivery } = await home.settled(answer.delivery_id);
    expect(delivery).to.include({ state: 'done', signals: many });
    times.sort((a, b) => a - b);
    const figures = `${body.length} bytes acknowledged in ${acknowledged.toFixed(0)} ms, done in ${(performance.now() - begun).toFixed(0)} ms`;
    console.log(`        ${figures}; ${times.length} others meanwhile, slowest ${(times.at(-1) ?? 0).toFixed(0)} ms`);
    expect(times.length, 'others were served meanwhile').to.be.greaterThan(1);
  });

  it('keeps deliveries of a paused source, and works on them in order when it goes on', async () => {
    const source = await home.source({ name: 'paused', vendor: 'alertmanager', limits, paused: true });
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      const answer = await home.hook(source.path, { headers: headers(source), body: alerts(`paused-${index}`) });
      expect(answer.status).to.equal(202);
      ids.push(answer.body.delivery_id);
    }
    expect((await home.get(`/deliveries/${ids[0]}`)).delivery.state).to.equal('queued');
    expect((await home.get(`/sources/${source.source_id}/health`)).status).to.equal('paused');
    await home.platform.call('PATCH', `/sources/${source.source_id}`, { paused: false });
    const all = await Promise.all(ids.map((id) => home.settled(id)));
    const signals = all.map((one) => one.signals[0].signal_id);
    expect([...signals].sort()).to.deep.equal(signals);
  });

  it('works on what a paused source left behind when it was deleted', async () => {
    const source = await home.source({ name: 'paused for ever', vendor: 'alertmanager', limits, paused: true });
    const answer = await home.hook(source.path, { headers: headers(source), body: alerts('left-behind') });
    await home.platform.call('DELETE', `/sources/${source.source_id}`);
    expect((await home.settled(answer.body.delivery_id)).delivery.state).to.equal('done');
  });

  it('replays a dead letter once its source can read it, and shows before what would change', async () => {
    const source = await home.source({ name: 'gen', vendor: 'generic', auth: { scheme: 'url' } });
    const body = golden('generic.firing');
    const json = { 'content-type': 'application/json' };
    const { delivery_id } = (await home.hook(source.path, { headers: json, body })).body;
    const before = await home.settled(delivery_id);
    expect(before.signals[0]).to.include({ state: 'info', title: 'event' });
    const same = await home.get(`/deliveries/${delivery_id}/preview`);
    expect(same).to.deep.include({ outcome: 'done', unchanged: 1, changes: [] });
    const map = { state: '/status', title: '/what', states: { RED: 'firing' } };
    await home.platform.call('PATCH', `/sources/${source.source_id}`, { map });
    const preview = await home.get(`/deliveries/${delivery_id}/preview`);
    expect(preview.changes[0]).to.include({ ordinal: 0, change: 'changed' });
    expect(preview.changes[0].members).to.deep.include({ name: 'state', before: 'info', after: 'firing' });
    expect((await home.get(`/deliveries/${delivery_id}`)).signals, 'a preview changes nothing').to.deep.equal(
      before.signals,
    );
    const replayed = await home.platform.call('POST', `/deliveries/${delivery_id}/replay`);
    expect([replayed.status, replayed.body.queued]).to.deep.equal([202, 1]);
    const after = await home.settled(delivery_id);
    expect(after.signals).to.have.length(1);
    expect(after.signals[0]).to.include({ state: 'firing', title: 'Disk is full' });
    expect(after.signals[0].signal_id).to.not.equal(before.signals[0].signal_id);
  });

  it('counts what a filter would replay, and replays it', async () => {
    const source = await home.source({ name: 'kuma', vendor: 'uptime-kuma', auth: { scheme: 'url' } });
    for (const body of ['{', '{{', '{"a":1}']) {
      const sent = await home.hook(source.path, { headers: { 'content-type': 'application/json' }, body });
      await home.settled(sent.body.delivery_id);
    }
    const filter = { source_id: source.source_id, state: 'dead', reason: 'malformed_json' };
    const dry = await home.platform.call('POST', '/deliveries/replay', { ...filter, dry_run: true });
    expect(dry.body).to.deep.equal({ matched: 2, queued: 0 });
    const real = await home.platform.call('POST', '/deliveries/replay', filter);
    expect(real.body).to.deep.equal({ matched: 2, queued: 2 });
    // One that is being read again is in neither number.
    const health = await until(
      () => home.get(`/sources/${source.source_id}/health`),
      ({ dead, queued }) => dead + queued === 3,
    );
    expect(health.status).to.equal('failing');
  });

  it('tells by time what was received, whether or not the question has decimals', async () => {
    const source = await home.source({ name: 'times', vendor: 'uptime-kuma', auth: { scheme: 'url' } });
    const sent = await home.hook(source.path, { headers: { 'content-type': 'application/json' }, body: '{}' });
    const { delivery } = await home.settled(sent.body.delivery_id);
    const second = delivery.received_at.replace(/\.\d+/, '');
    const list = `/deliveries?source_id=${source.source_id}`;
    expect((await home.get(`${list}&from=${second}`)).deliveries).to.have.length(1);
    expect((await home.get(`${list}&to=${second}`)).deliveries).to.have.length(0);
    expect((await home.platform.call('GET', `${list}&to=later`)).status).to.equal(400);
    const bulk = { source_id: source.source_id, dry_run: true };
    expect((await home.platform.call('POST', '/deliveries/replay', { ...bulk, to: second })).body.matched).to.equal(0);
    expect((await home.platform.call('POST', '/deliveries/replay', { ...bulk, to: 'later' })).status).to.equal(422);
  });

  it('counts analytics as usage, verified or not, and opens no incident of them', async () => {
    const source = await home.source({ name: 'seg', vendor: 'segment', default_component: 'runtime' });
    const body = golden('segment.batch');
    const [first] = JSON.parse(body) as [object];
    const signature = createHmac('sha1', source.secret).update(JSON.stringify(first)).digest('hex');
    const sent = await home.hook(source.path, { headers: { 'x-signature': signature }, body });
    const { signals } = await home.settled(sent.body.delivery_id);
    expect(signals.map(({ auth_strength }: { auth_strength: string }) => auth_strength)).to.deep.equal([
      'shared_secret',
      'url_token',
      'url_token',
    ]);
    const { usage } = await home.get(`/sources/${source.source_id}/usage`);
    expect(usage).to.have.deep.members([
      { day: '2026-11-20', kind: 'track', name: 'Order Completed', verified: true, count: 1 },
      { day: '2026-11-20', kind: 'track', name: 'Order Completed', verified: false, count: 1 },
      { day: '2026-11-20', kind: 'track', name: 'Signed Up', verified: false, count: 1 },
    ]);
    const replayed = await home.platform.call('POST', `/deliveries/${sent.body.delivery_id}/replay`);
    expect(replayed.status).to.equal(202);
    await home.settled(sent.body.delivery_id);
    expect((await home.get(`/sources/${source.source_id}/usage`)).usage).to.deep.equal(usage);
    const { incidents } = await home.get('/incidents');
    expect(JSON.stringify(incidents)).to.not.include('Order');
  });

  it('answers a cohort sync as Mixpanel asks, and keeps none of its members', async () => {
    const source = await home.source({ name: 'mp', vendor: 'mixpanel', auth: { scheme: 'url' } });
    const body = golden('mixpanel.cohort');
    const sent = await home.hook(source.path, { headers: { 'content-type': 'application/json' }, body });
    expect(sent.status).to.equal(200);
    expect(sent.body).to.include({ action: 'add_members', status: 'success' });
    const { signals, raw_kept } = await home.settled(sent.body.delivery_id);
    expect(signals[0]).to.include({ type: 'orb.signal.analytics', value: 2 });
    expect(raw_kept).to.equal(false);
    const raw = await home.platform.call('GET', `/deliveries/${sent.body.delivery_id}/raw`);
    expect(raw.status).to.equal(404);
    expect((await storedBytes(home.platform.home)).includes('ada@example.com')).to.equal(false);
  });

  it('stores nothing of a cohort sync that it cannot read, and says why it is dead', async () => {
    const source = await home.source({ name: 'mp-unread', vendor: 'mixpanel', auth: { scheme: 'url' } });
    const cohort = (members: string): string =>
      `{"action":"members","parameters":{"mixpanel_cohort_id":"7","members":[${members}]}}`;
    const member = (more: string): string => cohort(`{"email":"grace@example.org"${more}}`);
    const wide = Array.from({ length: 50_000 }, (_, at) => `"${at}":1`).join(',');
    const unread: readonly (readonly [reason: string, body: string | Buffer, headers?: object])[] = [
      ['too_many_keys', member(`,${wide}`)],
      ['too_deep', member(`,"x":${'['.repeat(70)}${']'.repeat(70)}`)],
      ['not_utf8', Buffer.concat([Buffer.from(member(',"x":"')), Buffer.from([0xff])])],
      ['malformed_json', member(',"x":"')],
      ['content_encoding', member(''), { 'content-encoding': 'gzip' }],
    ];
    for (const [reason, body, more] of unread) {
      const sent = await home.hook(source.path, { headers: { 'content-type': 'application/json', ...more }, body });
      const { delivery, raw_kept } = await home.settled(sent.body.delivery_id);
      expect([delivery.state, delivery.reason, raw_kept]).to.deep.equal(['dead', reason, false]);
      const raw = await home.platform.call('GET', `/deliveries/${sent.body.delivery_id}/raw`);
      expect(raw.status, reason).to.equal(404);
    }
    expect((await storedBytes(home.platform.home)).includes('grace@example.org')).to.equal(false);
  });
});
