import { expect } from 'chai';
import { alertOn, startAlerting, type Alerting } from './started.ts';

const component = { kind: 'component', id: 'ingestion' };
const orb = (id: string): object => ({ kind: 'orb', id });

describe('how often alerts are sent', function () {
  this.timeout(120_000);
  let alerting: Alerting;
  before(async () => {
    alerting = await startAlerting({
      alerts: [alertOn('incident_opened'), alertOn('incident_closed')],
    });
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
