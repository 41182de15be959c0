import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Answer } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { golden, lateClock, startIngestion, type IngestionHome, type MadeSource } from '../home.ts';

const json = { 'content-type': 'application/json' };
let bound = 0;
// Each source concerns a provider of its own, so its alert has incidents of its own.
const binding = () => ({ binding: { kind: 'provider', id: `own-${(bound += 1)}` } });
const quick = { hold_s: 0, reopen_window_s: 0, min_severity: 'warning' };

/** How a vendor says that one alert fires, and that it is over. */
interface Words {
  readonly vendor: string;
  readonly firing: string;
  readonly over: (at: Date) => string;
}

const alertList = (status: string, ends: string): string =>
  JSON.stringify({
    status,
    alerts: [
      { status, labels: { alertname: 'Disk' }, startsAt: '2026-11-21T09:00:00Z', endsAt: ends, fingerprint: 'f1' },
    ],
  });

const firing = JSON.stringify({ id: 'disk', state: 'firing' });
const resolved = JSON.stringify({ id: 'disk', state: 'resolved' });

const words: readonly Words[] = [
  {
    vendor: 'generic',
    firing,
    over: () => resolved,
  },
  ...['alertmanager', 'grafana'].map((vendor) => ({
    vendor,
    firing: alertList('firing', '0001-01-01T00:00:00Z'),
    over: (at: Date) => alertList('resolved', at.toISOString()),
  })),
  {
    vendor: 'datadog',
    firing: golden('datadog.firing'),
    over: (at) => {
      const sent = JSON.parse(golden('datadog.resolved')) as object;
      return JSON.stringify({ ...sent, date: String(at.getTime()), last_updated: String(at.getTime()) });
    },
  },
];

describe('a body that comes again', function () {
  const clock = lateClock();
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion({ clock });
  });
  after(() => home.stop());

  const send = async (source: MadeSource, body: string, headers: Readonly<Record<string, string>> = {}) => {
    clock.ahead(60_000);
    return home.hook(source.path, { headers: { ...json, 'x-orb-token': source.secret, ...headers }, body });
  };
  const settledBy = async (source: MadeSource, body: string): Promise<Answer> => {
    const answer = await send(source, body);
    await home.settled(answer.body.delivery_id);
    return answer;
  };
  const unsigned = { auth: { scheme: 'header' } };
  /** Lists the states of the incidents of a source, the first one first. */
  const incidents = async (source: MadeSource): Promise<readonly string[]> => {
    const { incidents: all } = await home.get('/incidents?limit=100');
    const own: string[] = [];
    for (const { incident_id, state } of all as readonly { incident_id: string; state: string }[]) {
      const { deliveries } = await home.get(`/incidents/${incident_id}/evidence`);
      if (deliveries.some(({ source_id }: MadeSource) => source_id === source.source_id)) own.unshift(state);
    }
    return own;
  };
  const statesOf = (source: MadeSource, wanted: readonly string[]): Promise<readonly string[]> =>
    until(
      () => incidents(source),
      (found) => JSON.stringify(found) === JSON.stringify(wanted),
      `incidents ${wanted.join(', ')}`,
    );
  // One alert, and so one incident, per source.
  const made = (vendor: string, more: object = {}): Promise<MadeSource> =>
    home.source({ name: vendor, vendor, ...unsigned, ...binding(), policy: quick, ...more });

  for (const { vendor, firing, over } of words) {
    it(`of ${vendor} is a second outage once the first one is over`, async () => {
      const source = await made(vendor);
      await settledBy(source, firing);
      await settledBy(source, over(new Date('2026-11-21T10:00:00Z')));
      const again = await settledBy(source, firing);
      expect([again.status, again.body.status]).to.deep.equal([202, 'accepted']);
      await statesOf(source, ['resolved', 'open']);
      const repeat = await send(source, firing);
      expect([repeat.status, repeat.body], 'it is a repeat of the second one').to.deep.equal([
        200,
        { delivery_id: again.body.delivery_id, status: 'duplicate' },
      ]);
      clock.ahead(60_000);
      await settledBy(source, over(new Date(clock.now())));
      await statesOf(source, ['resolved', 'resolved']);
    });
  }

  it('is a repeat while its alert is as it says', async () => {
    const source = await made('generic');
    const other = JSON.stringify({ id: 'cpu', state: 'firing' });
    const first = await settledBy(source, firing);
    await settledBy(source, other);
    expect((await send(source, firing)).body).to.deep.equal({
      delivery_id: first.body.delivery_id,
      status: 'duplicate',
    });
  });

  it('is a second outage also when nothing has been read of the first', async () => {
    const source = await made('generic', { paused: true });
    const statuses: number[] = [];
    for (const body of [firing, firing, resolved, resolved, firing, firing])
      statuses.push((await send(source, body)).status);
    expect(statuses).to.deep.equal([202, 200, 202, 200, 202, 200]);
    await home.platform.call('PATCH', `/sources/${source.source_id}`, { paused: false });
    await statesOf(source, ['resolved', 'open']);
  });

  it('is a second outage when the first one expired and the body holds no time', async () => {
    const source = await made('generic', { policy: { ...quick, ttl_s: 300 } });
    await settledBy(source, firing);
    expect((await send(source, firing)).status, 'it has not expired').to.equal(200);
    clock.ahead(400_000);
    expect((await settledBy(source, firing)).status).to.equal(202);
    await statesOf(source, ['resolved', 'open']);
  });

  it('stays over where a person closed the incident', async () => {
    const source = await made('generic');
    await settledBy(source, firing);
    await statesOf(source, ['open']);
    const { incidents: all } = await home.get('/incidents?state=unresolved&limit=100');
    const evidence = async (id: string) => (await home.get(`/incidents/${id}/evidence`)).deliveries;
    for (const { incident_id } of all)
      if ((await evidence(incident_id)).some(({ source_id }: MadeSource) => source_id === source.source_id))
        await home.platform.call('POST', `/incidents/${incident_id}/resolve`, { reason: 'seen to' });
    await statesOf(source, ['resolved']);
    expect((await send(source, firing)).status).to.equal(200);
    expect(await incidents(source)).to.deep.equal(['resolved']);
  });

  describe('under another id that is not signed', () => {
    const signed = (secret: string, body: string, id: string) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      'x-github-event': 'workflow_run',
      'x-github-delivery': id,
    });

    it('is one delivery of GitHub, whatever came after it', async () => {
      const source = await home.source({ name: 'gh', vendor: 'github', ...binding(), policy: quick });
      const [failed, passed] = [golden('github.firing'), golden('github.resolved')];
      const statuses: number[] = [];
      for (const [index, body] of [failed, failed, passed, failed, passed, failed].entries()) {
        const answer = await send(source, body, signed(source.secret, body, `id-${index}`));
        await home.settled(answer.body.delivery_id);
        statuses.push(answer.status);
      }
      expect(statuses).to.deep.equal([202, 200, 202, 200, 200, 200]);
    });

    it('is one delivery of a generic sender until its alert changed', async () => {
      const source = await home.source({
        ...{ name: 'own', vendor: 'generic', ...binding(), policy: quick, delivery_header: 'X-Delivery' },
      });
      const statuses: number[] = [];
      for (const [index, body] of [firing, firing, firing, resolved, firing, firing].entries()) {
        const signature = createHmac('sha256', source.secret).update(body).digest('hex');
        const answer = await send(source, body, { 'x-signature': signature, 'x-delivery': `id-${index}` });
        await home.settled(answer.body.delivery_id);
        statuses.push(answer.status);
      }
      expect(statuses).to.deep.equal([202, 200, 200, 202, 202, 200]);
    });
  });

  it('that differs under the id of another one is reported, with its digest', async () => {
    const source = await made('generic', { delivery_pointer: '/delivery' });
    const one = JSON.stringify({ delivery: 'd-1', id: 'disk', state: 'firing' });
    const other = JSON.stringify({ delivery: 'd-1', id: 'disk', state: 'resolved' });
    const first = await settledBy(source, one);
    expect((await send(source, one)).body.status).to.equal('duplicate');
    expect((await home.settled(first.body.delivery_id)).delivery).to.include({ duplicates: 1, conflicts: 0 });
    expect((await send(source, other)).body).to.deep.equal({
      delivery_id: first.body.delivery_id,
      status: 'duplicate',
    });
    const { delivery } = await home.settled(first.body.delivery_id);
    expect(delivery).to.include({ duplicates: 2, conflicts: 1 });
    expect(delivery.conflicting_digest)
      .to.match(/^sha256:[0-9a-f]{64}$/)
      .and.not.equal(delivery.digest);
    expect((await home.get(`/sources/${source.source_id}/health`)).conflicts).to.equal(1);
    expect(String(await home.get('/metrics'))).to.match(
      /orb_ingest_deliveries_total\{vendor="generic",result="conflict"\} 1/,
    );
  });
});
