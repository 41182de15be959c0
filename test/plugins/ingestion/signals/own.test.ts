import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { startIngestion, type IngestionHome, type MadeSource } from '../home.ts';

const graph = (expr: string): string => `http://prometheus:9090/graph?g0.expr=${encodeURIComponent(expr)}&g0.tab=1`;

const site = 'https://orbs.example';

interface Said {
  readonly labels?: Readonly<Record<string, string>>;
  readonly generatorURL?: string;
  readonly status?: string;
  readonly valueString?: string;
}

interface Sent {
  readonly own?: boolean;
  readonly state: string;
}

describe('an alert about what the platform says of itself', function () {
  let home: IngestionHome;
  let source: MadeSource;
  before(async () => {
    home = await startIngestion({ env: { ORB_PUBLIC_URL: site } });
    const policy = { hold_s: 0, reopen_window_s: 0 };
    source = await home.source({ name: 'am', vendor: 'alertmanager', may_name: { components: ['runtime'] }, policy });
  });
  after(() => home.stop());

  let count = 0;
  const send = async ({ labels = {}, status = 'firing', ...more }: Said, number = (count += 1)): Promise<Sent> => {
    const own = { component: 'runtime', severity: 'page', ...labels };
    const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, number, minute)).toISOString();
    const [startsAt, endsAt] = [at(0), status === 'resolved' ? at(30) : undefined];
    const body = JSON.stringify({
      alerts: [{ status, labels: own, startsAt, endsAt, fingerprint: `f${number}`, ...more }],
    });
    const answer = await home.hook(source.path, { headers: { authorization: `Bearer ${source.secret}` }, body });
    const { signals } = await home.settled(answer.body.delivery_id);
    // The queue of a source goes on when the incidents of a delivery are written.
    if (status !== 'pending') await send({ status: 'pending' });
    return signals[0] as Sent;
  };
  const open = async (): Promise<number> => (await home.get('/incidents?state=unresolved')).incidents.length;

  const own: readonly (readonly [string, Said])[] = [
    ['marked as the shipped rules are', { labels: { orb_origin: 'platform' } }],
    ['whose rule reads its metrics', { generatorURL: graph('orb_component_status{component="runtime"} >= 3') }],
    ['whose values name its metrics', { valueString: "[ var='A' metric='orb_incidents_open' labels={} value=1 ]" }],
    ['of a probe of its status page', { labels: { instance: 'URL/status' } }],
    ['of a probe of its status for machines', { labels: { target: 'URL/api/v2/summary.json' } }],
  ];
  for (const [name, said] of own)
    it(`opens no incident when it is one ${name}`, async () => {
      const labels = Object.entries(said.labels ?? {}).map(([key, value]) => [key, value.replace('URL', site)]);
      const signal = await send({ ...said, labels: Object.fromEntries(labels) as Record<string, string> });
      expect([signal.state, await open()]).to.deep.equal(['firing', 0]);
      if (said.labels?.['instance'] === undefined && said.labels?.['target'] === undefined)
        expect(signal.own).to.equal(true);
    });

  const others: readonly (readonly [string, Said])[] = [
    ['a rule on metrics of others', { generatorURL: graph('probe_success{orb_id="x"} == 0') }],
    ['a rule on whether the target answers', { generatorURL: graph('up{job="agent-orb"} == 0') }],
    ['a probe of its health', { labels: { instance: 'URL/health' } }],
  ];
  for (const [name, said] of others)
    it(`opens an incident when it is of ${name}, which the first kind neither joins nor keeps open`, async () => {
      const id = (count += 1);
      const labels = said.labels === undefined ? {} : { instance: `${site}/health` };
      const signal = await send({ ...said, labels }, id);
      expect([signal.own, await open()]).to.deep.equal([undefined, 1]);
      await send({ labels: { orb_origin: 'platform' } });
      const { incidents } = await home.get('/incidents?state=unresolved');
      const { deliveries } = await home.get(`/incidents/${incidents[0].incident_id}/evidence`);
      expect(deliveries).to.have.length(1);
      await send({ ...said, labels, status: 'resolved' }, id);
      await until(open, (found) => found === 0, 'its end');
    });
});
