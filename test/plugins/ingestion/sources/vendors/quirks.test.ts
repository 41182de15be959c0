import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Draft } from '../../../../../plugins/ingestion/sources/vendors/vendor.ts';
import { vendorOf, vendors } from '../../../../../plugins/ingestion/sources/vendor-list.ts';
import { golden, startIngestion, type IngestionHome } from '../../home.ts';
import type { VendorName } from '../../../../../plugins/ingestion/signals/words.ts';

const settings = { auth: { scheme: 'url' } } as const;

function normalized(
  vendor: VendorName,
  name: string,
  headers: Readonly<Record<string, string>> = {},
): readonly Draft[] {
  return vendorOf(vendor).normalize({ payload: JSON.parse(golden(name)), headers, query: {}, settings });
}

describe('the habits of vendors', function () {
  this.timeout(60_000);

  it('Grafana: no data is unknown, not firing', () => {
    expect(normalized('grafana', 'grafana.nodata')[0]).to.include({ state: 'unknown' });
  });

  it('Alertmanager: each alert has its own state, and a cut group is incomplete', () => {
    const payload = JSON.parse(golden('alertmanager.firing')) as { alerts: object[] };
    const [alert = {}] = payload.alerts;
    const mixed = {
      ...payload,
      truncatedAlerts: 3,
      alerts: [alert, { ...alert, status: 'resolved', endsAt: '2026-11-20T10:20:00Z', fingerprint: 'b' }],
    };
    const drafts = vendors.alertmanager.normalize({ payload: mixed, headers: {}, query: {}, settings });
    expect(drafts.map(({ state }) => state)).to.deep.equal(['firing', 'resolved']);
    expect(drafts.map(({ incomplete }) => incomplete)).to.deep.equal([true, true]);
    expect(drafts[0]).to.include({ ends_at: undefined });
  });

  it('Alertmanager: a payload template is an unknown shape', () => {
    expect(() => normalized('alertmanager', 'alertmanager.template')).to.throw(/no alerts/);
  });

  it('Sentry: an event alert belongs to its issue, and outsiders write its tags', () => {
    const [event] = normalized('sentry', 'sentry.event', { 'sentry-hook-resource': 'event_alert' });
    const [issue] = normalized('sentry', 'sentry.firing', { 'sentry-hook-resource': 'issue' });
    expect(event).to.include({ episode_key: 'issue:1170820242', outsider: true, severity_text: 'fatal' });
    expect(event?.labels).to.include({ component: 'runtime' });
    expect(issue?.episode_key).to.equal(event?.episode_key);
    const [metric] = normalized('sentry', 'sentry.metric', { 'sentry-hook-resource': 'metric_alert' });
    expect(metric).to.include({ state: 'firing', severity_text: 'critical', episode_key: 'metric_alert:4311' });
    expect(metric?.outsider).to.equal(undefined);
  });

  it('Sentry: an issue that came back and was resolved without a further event is resolved', () => {
    const sentry = (action: string) => {
      const payload = { ...(JSON.parse(golden('sentry.resolved')) as object), action };
      const headers = { 'sentry-hook-resource': 'issue' };
      return vendors.sentry.normalize({ payload, headers, query: {}, settings })[0];
    };
    // The last event is the same: only the order of arrival tells which came later.
    const acts = ['unresolved', 'resolved', 'archived'].map(sentry);
    expect(acts.map((draft) => draft?.occurred_at)).to.deep.equal([undefined, undefined, undefined]);
    expect(sentry('created')?.occurred_at).to.be.a('number');
  });

  for (const word of ['constructor', '__proto__', 'valueOf'])
    it(`takes the word ${word} for one it does not know`, () => {
      const drafts = [
        vendors.datadog.normalize({
          payload: { alert_transition: word, title: 'x' },
          headers: {},
          query: {},
          settings,
        }),
        vendors.pagerduty.normalize({
          payload: { event: { event_type: word, data: { urgency: word } } },
          ...{ headers: {}, query: {}, settings },
        }),
        vendors.sentry.normalize({
          payload: { action: word, data: { issue: { id: '1' } } },
          ...{ headers: { 'sentry-hook-resource': 'issue' }, query: {}, settings },
        }),
        vendors.github.normalize({
          payload: { action: 'completed', workflow_run: { id: 1, conclusion: word } },
          ...{ headers: { 'x-github-event': 'workflow_run' }, query: {}, settings },
        }),
        vendors.github.normalize({
          payload: { deployment_status: { state: word } },
          ...{ headers: { 'x-github-event': 'deployment_status' }, query: {}, settings },
        }),
      ].flat();
      expect(drafts.map(({ state }) => state)).to.deep.equal(drafts.map(() => 'info'));
      for (const { severity } of drafts) expect(severity).to.be.oneOf([undefined, 'warning']);
    });

  describe('what names no alert', () => {
    const refuses = (vendor: keyof typeof vendors, payload: unknown, headers: Record<string, string> = {}): void => {
      expect(() => vendorOf(vendor).normalize({ payload, headers, query: {}, settings }), JSON.stringify(payload))
        .to.throw()
        .with.property('reason', 'unknown_shape');
    };

    it('of Sentry is of an unknown shape: it fires nothing', () => {
      const acts = { metric_alert: 'critical', issue: 'created', event_alert: 'triggered' };
      for (const [resource, action] of Object.entries(acts))
        for (const data of [null, [], 'text', {}, { [resource]: null }, { event: {}, issue: {}, metric_alert: {} }])
          refuses('sentry', { action, data }, { 'sentry-hook-resource': resource });
    });

    it('of PagerDuty is of an unknown shape', () => {
      for (const event_type of ['incident.triggered', 'incident.resolved', 'incident.acknowledged'])
        for (const data of [null, [], {}, { type: 'incident' }, { type: 'incident', id: null }])
          refuses('pagerduty', { event: { id: 'E', event_type, data } });
    });

    it('of GitHub is of an unknown shape', () => {
      const failed = { conclusion: 'failure' };
      refuses('github', { action: 'completed', workflow_run: failed }, { 'x-github-event': 'workflow_run' });
      for (const deployment of [null, {}, undefined])
        refuses(
          'github',
          { deployment_status: { state: 'failure' }, deployment },
          { 'x-github-event': 'deployment_status' },
        );
    });
  });

  it('PagerDuty: a note names its incident beside its own id', () => {
    const [note] = normalized('pagerduty', 'pagerduty.note');
    expect(note).to.include({ state: 'info', episode_key: 'incident:PGR0VU2' });
  });

  it('Uptime Kuma: a notice without a heartbeat fires nothing', () => {
    expect(normalized('uptime-kuma', 'uptime-kuma.ping')[0]).to.include({ state: 'info', test: true });
    const states = [0, 1, 2, 3].map((status) => {
      const payload = { heartbeat: { monitorID: 1, status, time: '2026-11-20 10:00:00' }, monitor: null, msg: '' };
      return vendorOf('uptime-kuma').normalize({ payload, headers: {}, query: {}, settings })[0]?.state;
    });
    expect(states).to.deep.equal(['firing', 'resolved', 'unknown', 'suppressed']);
  });

  it('Datadog: what was not filled in is missing, whatever tags there are', () => {
    const drafts = vendors.datadog.normalize({
      payload: {
        alert_transition: 'Warn',
        title: 'x',
        tags: 'a,b:c:d,,monitor',
        alert_cycle_key: '$ALERT_CYCLE_KEY',
        alert_id: '7',
      },
      headers: {},
      query: {},
      settings,
    });
    expect(drafts[0]).to.include({ state: 'firing', severity: 'warning', episode_key: '7', occurred_at: undefined });
    expect(drafts[0]?.labels).to.deep.equal({ a: 'true', b: 'c:d', monitor: 'true' });
  });

  describe('at the front door', () => {
    let home: IngestionHome;
    before(async () => {
      home = await startIngestion();
    });
    after(() => home.stop());

    const sent = async (path: string, request: Parameters<IngestionHome['hook']>[1]) => {
      const { status, body } = await home.hook(path, request);
      expect(status, JSON.stringify(body)).to.equal(202);
      return home.settled(body.delivery_id);
    };

    it('Uptime Kuma: JSON, a form and a query say the same', async () => {
      const { path } = await home.source({ name: 'k', vendor: 'uptime-kuma', auth: { scheme: 'url' } });
      const text = golden('uptime-kuma.firing');
      const form = new FormData();
      form.set('data', text);
      const multipart = new Response(form);
      const headers = { 'content-type': multipart.headers.get('content-type') ?? '' };
      const { heartbeat, monitor, msg } = JSON.parse(text) as Record<string, unknown>;
      const query = new URLSearchParams({
        heartbeat: JSON.stringify(heartbeat),
        monitor: JSON.stringify(monitor),
        msg: String(msg),
      });
      const all = [
        await sent(path, { headers: { 'content-type': 'application/json' }, body: text }),
        await sent(path, { headers, body: Buffer.from(await multipart.arrayBuffer()) }),
        await sent(`${path}?${query.toString()}`, { method: 'GET' }),
      ];
      for (const { signals } of all) {
        expect(signals[0]).to.include({ state: 'firing', title: 'Orb runtime', episode_key: 'monitor:7' });
        expect(signals[0].labels).to.include({ component: 'runtime' });
        expect(signals[0].auth_strength).to.equal('url_token');
      }
    });

    it('GitHub: the signature of a form covers the form', async () => {
      const source = await home.source({ name: 'g', vendor: 'github' });
      const body = new URLSearchParams({ payload: golden('github.firing') }).toString();
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'x-github-event': 'workflow_run',
        'x-github-delivery': 'form-1',
        'x-hub-signature-256': `sha256=${createHmac('sha256', source.secret).update(body).digest('hex')}`,
      };
      const { signals } = await sent(source.path, { headers, body });
      expect(signals[0]).to.include({ state: 'firing', auth_strength: 'strong' });
    });

    it('CloudEvents: binary, structured and batch mode', async () => {
      const source = await home.source({ name: 'c', vendor: 'cloudevents' });
      const authorization = `Bearer ${source.secret}`;
      const event = JSON.parse(golden('cloudevents.firing')) as Record<string, unknown>;
      const binary = await sent(source.path, {
        headers: {
          ...{ authorization, 'content-type': 'application/json', 'ce-specversion': '1.0', 'ce-id': 'bin-1' },
          ...{ 'ce-source': '/monitors/disk', 'ce-type': 'com.example.alert', 'ce-time': '2026-11-20T10:00:00Z' },
        },
        body: JSON.stringify(event['data']),
      });
      expect(binary.signals[0]).to.include({ state: 'firing', vendor_event_id: 'bin-1', title: 'Disk is full' });
      const batch = await sent(source.path, {
        headers: { authorization, 'content-type': 'application/cloudevents-batch+json' },
        body: JSON.stringify([event, { ...event, id: 'second' }]),
      });
      expect(batch.signals.map((one: { vendor_event_id: string }) => one.vendor_event_id)).to.deep.equal([
        'A234-1234-1234',
        'second',
      ]);
      const byQuery = await sent(`${source.path}?access_token=${source.secret}`, {
        headers: { 'content-type': 'application/cloudevents+json' },
        body: JSON.stringify({ ...event, id: 'third' }),
      });
      expect(byQuery.delivery).to.include({ auth_strength: 'url_token', auth_scheme: 'access_token' });
      expect(JSON.stringify(byQuery)).to.not.include(source.secret);
    });

    it('Generic: inflated bytes may be what was signed', async () => {
      const { gzipSync } = await import('node:zlib');
      const source = await home.source({ name: 'x', vendor: 'generic' });
      const body = '{"id":"1","state":"firing","title":"t"}';
      const signature = createHmac('sha256', source.secret).update(body).digest('hex');
      const headers = { 'content-encoding': 'gzip', 'x-signature': signature };
      const { signals } = await sent(source.path, { headers, body: gzipSync(body) });
      expect(signals[0]).to.include({ state: 'firing', auth_strength: 'strong' });
    });
  });
});
