import { expect } from 'chai';
import type { Client, CommandCall } from '../../../kernel/index.ts';
import alerts from '../../../plugins/alerts/index.ts';
import { until } from '../../helpers/until.ts';
import { alertOn, mailer, startAlerting, type Alerting } from './started.ts';

const component = { kind: 'component', id: 'ingestion' };
const orb = (id: string): object => ({ kind: 'orb', id });

describe('how often alerts are sent', function () {
  this.timeout(120_000);
  let alerting: Alerting;
  before(async () => {
    alerting = await startAlerting({ alerts: [alertOn('incident_opened'), alertOn('incident_closed')] });
  });
  after(() => alerting?.stop());

  const open = async (title: string, scope: readonly object[] = [component]): Promise<string> => {
    const { status, body } = await alerting.platform().call('POST', '/incidents', { title, severity: 'high', scope });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.incident_id;
  };
  const later = (minutes: number): void =>
    alerting.clock.set(new Date(alerting.clock.now() + minutes * 60_000).toISOString());
  const to = (when: string): string => `${when}@example.com`;

  it('a second incident of the subject within ten minutes waits, and is told with the third after that', async () => {
    await open('first');
    expect((await alerting.message(to('incident_opened'))).subject).to.equal('Incident opened: first');
    await open('second');
    await open('third');
    await alerting.looked();
    expect(alerting.messages(to('incident_opened'))).to.have.length(1);
    later(9);
    await alerting.looked();
    expect(alerting.messages(to('incident_opened'))).to.have.length(1);
    later(2);
    const { subject, text } = await alerting.message(to('incident_opened'), 2);
    expect(subject).to.equal('Incident opened: third');
    expect(text).to.match(/^2\nIncident opened: third \(.*\) \(2 times since 2026-11-23T10:0\d:\d\d\.\d{3}Z\)\n/);
  });

  it('several subjects at once are one message', async () => {
    later(11);
    await Promise.all(
      ['runtime', 'reputation_ledger', 'ingestion'].map((id) => open(`${id} is slow`, [{ ...component, id }])),
    );
    const { subject, text } = await alerting.message(to('incident_opened'), 3);
    expect(subject).to.match(/^Incident opened: \w+ is slow and 2 others$/);
    expect(text).to.match(/^3\n(Incident opened: \w+ is slow \(.*\)\n){3}http:.*\/console\n/);
  });

  it('a restart tells nothing twice, and within the ten minutes nothing of the same subject', async () => {
    const before = alerting.messages(to('incident_opened')).length;
    await alerting.restart();
    await open('after the restart');
    await alerting.looked();
    expect(alerting.messages(to('incident_opened'))).to.have.length(before);
    later(11);
    expect((await alerting.message(to('incident_opened'), before + 1)).subject).to.equal(
      'Incident opened: after the restart',
    );
  });

  it('an incident that is retracted is told as withdrawn', async () => {
    const id = await open('short', [orb('demo.echo@1.0.0')]);
    await alerting.looked();
    await alerting.platform().call('POST', `/incidents/${id}/retract`, { reason: 'a test' });
    const { subject, text } = await alerting.message(to('incident_closed'));
    expect(subject).to.equal('Incident closed: short');
    expect(text).to.contain('Incident withdrawn: short (high, affects orb demo.echo@1.0.0, since 2026-');
  });

  it('the first start with an alert is silent about what began before, and tells its end', async () => {
    const before = alerting.messages(to('incident_opened')).length;
    const id = await open('old', [orb('ops.mail@1.0.0')]);
    await alerting.message(to('incident_opened'), before + 1);
    // Without an alert about incidents what was found of them is forgotten.
    await alerting.restart([alertOn('key_expiring')]);
    await alerting.looked();
    await alerting.restart();
    await alerting.looked();
    expect(alerting.messages(to('incident_opened'))).to.have.length(before + 1);
    const closed = alerting.messages(to('incident_closed')).length;
    await alerting.platform().call('POST', `/incidents/${id}/resolve`, { reason: 'done' });
    expect((await alerting.message(to('incident_closed'), closed + 1)).subject).to.equal('Incident closed: old');
  });

  it('a clock that is set back delays no message', async () => {
    const before = alerting.messages(to('incident_opened')).length;
    later(-120);
    await open('back', [{ ...component, id: 'observable_engine' }]);
    expect((await alerting.message(to('incident_opened'), before + 1)).subject).to.equal('Incident opened: back');
  });
});

describe('an alert that fails', function () {
  this.timeout(120_000);
  let alerting: Alerting;
  before(async () => {
    alerting = await startAlerting({
      alerts: [alertOn('provider_down'), alertOn('provider_recovered'), alertOn('incident_opened')],
    });
  });
  after(() => alerting?.stop());

  const examined = async (): Promise<readonly { readonly state: string; readonly detail: string }[]> => {
    const request = async (method: string, path: string) =>
      (await alerting.platform().call(method, path)).body as never;
    const client = () => ({ request }) as unknown as Client;
    const [examine] = alerts.examinations;
    return (await examine?.({ client } as CommandCall)) ?? [];
  };
  const runs = async (): Promise<readonly { readonly status: string }[]> =>
    (await alerting.platform().call('GET', '/runs?orb_id=notify.email@1.0.0')).body.runs;

  it('is never about the provider that alone carries it: that is logged, and no run follows', async () => {
    expect(await examined()).to.deep.equal([
      { name: 'alerts', state: 'ok', detail: 'none failed, and each has a provider' },
    ]);
    // A fault of the provider, which fails its runs: it is down from then on.
    alerting.smtp.misbehaviour.mail = { code: 530, text: '5.7.0 authentication required' };
    const opened = await alerting.platform().call('POST', '/incidents', {
      ...{ title: 'x', severity: 'high', scope: [component] },
    });
    expect(opened.status).to.equal(201);
    const logged = await until(
      () => alerting.lines.filter(({ msg }) => String(msg).startsWith('an alert is not sent')),
      ({ length }) => length > 0,
      'the line of the log',
    );
    expect(logged[0]).to.include({ alert: 'alerts[0]', when: 'provider_down', subject: 'mail' });
    await alerting.looked();
    expect((await runs()).map(({ status }) => status)).to.deep.equal(['failed']);
    expect(alerting.smtp.messages).to.have.length(0);
  });

  it('is named by `orb doctor`, the overview, the metric and the log', async () => {
    const [finding, ...others] = await examined();
    expect(others).to.deep.equal([]);
    expect(finding).to.include({
      ...{ name: 'alerts', state: 'warning' },
      detail: 'alerts[2], incident_opened by notify.email@1.0.0: its last run did not complete (provider_failed)',
    });
    const { body } = await alerting.platform().call('GET', '/overview');
    const concern = body.concerns.find(({ name }: { name: string }) => name === 'failed_alerts');
    expect(concern).to.include({ count: 1, link: '/runs?status=failed' });
    expect(concern.newest[0].link).to.match(/^\/runs\/run_/);
    const metrics = String((await alerting.platform().call('GET', '/metrics')).body);
    expect(metrics).to.contain('orb_alerts_total{when="incident_opened",outcome="failed"} 1');
    expect(metrics).to.contain('orb_alerts_total{when="provider_down",outcome="suppressed"} 1');
    const line = alerting.lines.find(({ msg }) => msg === 'the run of an alert did not complete');
    expect(line).to.include({ when: 'incident_opened', code: 'provider_failed' });
  });
});

describe('an alert about a provider of its own Orb', function () {
  this.timeout(120_000);
  let alerting: Alerting;
  before(async () => {
    alerting = await startAlerting({
      alerts: [alertOn('provider_down')],
      // Nothing listens there.
      providers: { shut: mailer(1) },
      bindings: { 'notify.email@1.0.0': ['shut', 'mail'] },
    });
  });
  after(() => alerting?.stop());

  it('is carried by another provider that is bound', async () => {
    expect((await alerting.message('provider_down@example.com')).subject).to.equal('Provider down: shut');
    const { call } = alerting.platform();
    const runs = await until(
      async () => (await call('GET', '/runs?orb_id=notify.email@1.0.0&status=completed')).body.runs,
      ({ length }) => length === 1,
      'the run',
    );
    const { attempts } = (await call('GET', `/runs/${runs[0].run_id}`)).body;
    const [last, ...before] = (attempts as Record<string, string>[])
      .map(({ provider, outcome }) => `${provider} ${outcome}`)
      .toReversed();
    expect([last, ...new Set(before)]).to.deep.equal(['mail accepted', 'shut not_sent']);
  });
});
