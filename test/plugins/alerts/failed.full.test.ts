import { expect } from 'chai';
import type { Client, CommandCall } from '../../../kernel/index.ts';
import alerts from '../../../plugins/alerts/index.ts';
import { until } from '../../helpers/until.ts';
import { alertOn, mailer, startAlerting, type Alerting } from './started.ts';

const component = { kind: 'component', id: 'ingestion' };

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
