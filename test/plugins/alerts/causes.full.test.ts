import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { causes, type Cause } from '../../../plugins/alerts/causes.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { until } from '../../helpers/until.ts';
import { alertOn, mailer, startAlerting, type Alerting } from './started.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../../helpers/tls/test-only.${name}.pem`, import.meta.url), 'utf8');
// Nine days before the certificate of the tests ends.
const now = '2126-10-19T12:00:00Z';

describe('alerts, each cause caused and the message read at the mail server', function () {
  this.timeout(120_000);
  let alerting: Alerting;
  let late: SmtpReceiver | undefined;
  let shut = 0;
  const front = createServer({ cert: pem('cert'), key: pem('key') });
  before(async () => {
    // A port that is closed now.
    const closed = await startSmtp();
    shut = closed.port;
    await closed.close();
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    alerting = await startAlerting({
      alerts: causes.map((when) => alertOn(when)),
      providers: { broken: mailer(shut) },
      bindings: { 'ops.mail@1.0.0': ['broken'] },
      more: { public_url: `https://127.0.0.1:${(front.address() as AddressInfo).port}` },
      at: now,
    });
    const { call } = alerting.platform();
    const soon = new Date(Date.parse(now) + 5 * 86_400_000).toISOString();
    const made = await call('POST', '/keys', { name: 'invoices', scopes: ['orbs:read'], expires_at: soon });
    expect(made.status).to.equal(201);
    const held = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'ask' } };
    expect((await call('POST', '/orbisets/default/execute', held)).status).to.equal(202);
    const folder = join(alerting.platform().home, 'policies');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'broken.rego'), 'package');
    await webhook('firing');
  });
  after(async () => {
    await alerting?.stop();
    await late?.close();
    front.close();
  });

  let hook: { readonly token: string; readonly secret: string } | undefined;
  const webhook = async (state: string): Promise<void> => {
    const { call, url } = alerting.platform();
    const binding = { kind: 'component', id: 'ingestion' };
    hook ??= (await call('POST', '/sources', { name: 'one', vendor: 'generic', binding, policy: { hold_s: 0 } })).body;
    const time = new Date(alerting.clock.now()).toISOString();
    const title = 'Disk \u202efull\nBcc: eve@example.com {url}';
    const body = JSON.stringify({ id: 'x', state, severity: 'high', title, time });
    const signature = createHmac('sha256', hook?.secret ?? '')
      .update(body)
      .digest('hex');
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    expect((await fetch(`${url}/hooks/${hook?.token}`, { method: 'POST', headers, body })).status).to.equal(202);
  };

  const expected: Readonly<
    Record<Cause, { readonly subject: string; readonly text: RegExp; cause?(): Promise<void> }>
  > = {
    incident_opened: {
      subject: 'Incident opened: Disk full Bcc: eve@example.com {url}',
      text: /^1\nIncident opened: Disk full Bcc: eve@example\.com \{url\} \(high, affects component ingestion, since 2126-10-19T.*\)\nhttps:\/\/127\.0\.0\.1:\d+\/console\/incidents\/inc_\w+\n/,
    },
    provider_down: {
      subject: 'Provider down: broken',
      text: /^1\nProvider broken is down: .*refused.*\nhttps:.*\/console\/providers\?provider=broken\n/,
    },
    key_expiring: {
      subject: 'API key expires soon: invoices',
      text: /^1\nThe API key invoices \(key_\w+\) expires at 2126-10-24T12:00:00\.000Z\nhttps:.*\/console\/keys\/key_\w+\n/,
    },
    certificate_expiring: {
      subject: 'Certificate expires soon: 127.0.0.1:',
      text: /^1\nThe TLS certificate of 127\.0\.0\.1:\d+ expires at 2126-10-28T11:48:49\.000Z\nhttps:.*\/console\n/,
    },
    policy_faulty: {
      subject: 'Policy has a fault: policies',
      text: /^1\nthe policies folder is not active; GET \/policies\/-\/status shows why\nhttps:.*\/console\/policies\n/,
    },
    approval_waiting: {
      subject: 'Approval waiting: demo.echo@1.0.0',
      text: /^1\nA run of demo\.echo@1\.0\.0 waits for an approval since 2126-.*\(apr_\w+\)\nhttps:.*\/console\/approvals\/apr_\w+\n/,
    },
    incident_closed: {
      subject: 'Incident closed: Disk full Bcc: eve@example.com {url}',
      text: /^1\nIncident closed: /,
      cause: () => webhook('resolved'),
    },
    provider_recovered: {
      subject: 'Provider recovered: broken',
      text: /^1\nProvider broken has recovered: it is up\n/,
      async cause() {
        late = await startSmtp({ port: shut });
        const inputs = { to: 'a@example.com', from_address: 'o@example.com', subject: 'x', body: 'x' };
        await until(
          () => alerting.platform().call('POST', '/orbisets/default/execute', { orb_id: 'ops.mail@1.0.0', inputs }),
          ({ status }) => status === 200,
          'a run by the provider',
          500,
        );
      },
    },
  };

  it('has a message for every cause', () => expect(Object.keys(expected).sort()).to.deep.equal([...causes].sort()));

  for (const [when, { cause, subject, text }] of Object.entries(expected))
    it(`${when}: one message, that names the subject and its page`, async () => {
      await cause?.();
      const message = await alerting.message(`${when}@example.com`);
      expect(message.subject).to.match(new RegExp(`^${subject.replace(/[.{}@]/g, '\\$&')}`));
      expect(message.text).to.match(text);
    });

  it('sends one message each, and no other', async () => {
    await alerting.looked();
    const counts = causes.map((when) => [when, alerting.messages(`${when}@example.com`).length]);
    expect(counts).to.deep.equal(causes.map((when) => [when, 1]));
    expect(alerting.smtp.messages.map(({ to }) => to.join()).filter((to) => to.includes('eve'))).to.deep.equal([]);
  });

  it('runs as the principal `alerts`, whose key may run the Orbs of alerts alone; each run has a receipt', async () => {
    const { call } = alerting.platform();
    const { body } = await call('GET', '/runs?orb_id=notify.email@1.0.0');
    const keys = (await call('GET', '/keys')).body.keys as { principal: string; name: string; scopes: string[] }[];
    const own = keys.filter(({ name }) => name === 'alerts');
    expect(own.map(({ scopes }) => scopes)).to.deep.equal([['orbs:execute:notify.email@1.0.0']]);
    expect(body.runs).to.have.length(causes.length);
    for (const { principal, receipt_id, status } of body.runs) {
      expect([principal, status]).to.deep.equal([own[0]?.principal, 'completed']);
      const receipt = (await call('GET', `/receipts/${receipt_id}`)).body;
      expect(receipt.signature_valid).to.equal(true);
      expect(receipt.statement.predicate.facts.channel).to.deep.equal({ kind: 'alert' });
    }
    const metrics = String((await call('GET', '/metrics')).body);
    for (const when of causes) expect(metrics).to.contain(`orb_alerts_total{when="${when}",outcome="done"} 1`);
  });
});
