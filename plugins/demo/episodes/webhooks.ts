import { createHmac } from 'node:crypto';
import { timestamp } from '../../../kernel/index.ts';
import type { Stage } from '../stage.ts';

interface MadeSource {
  readonly token: string;
  readonly secret?: string;
}

/** An alert about a provider. */
export interface Alert {
  readonly name: string;
  readonly severity: 'critical' | 'high' | 'warning' | 'info';
  readonly provider: string;
  readonly summary: string;
}

// What PagerDuty and the server share in the demonstration.
const pagerSecret = 'simulated-pagerduty-secret';

const sources = {
  alertmanager: {
    ...{ name: 'Prometheus', vendor: 'alertmanager', auth: { scheme: 'bearer' } },
    ...{ may_name: { providers: ['postmark-eu', 'ntfy'] }, policy: { hold_s: 0 } },
  },
  pagerduty: {
    ...{ name: 'On-call pager', vendor: 'pagerduty', secret: pagerSecret, policy: { hold_s: 0 } },
    binding: { kind: 'provider', id: 'postmark-eu' },
  },
} as const;

/** The senders of webhooks of the demonstration. */
export class Webhooks {
  readonly #stage: Stage;
  readonly #made = new Map<string, MadeSource>();
  readonly #fired = new Map<string, number>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Makes the sources. */
  async open(): Promise<void> {
    for (const [name, body] of Object.entries(sources))
      this.#made.set(name, await this.#stage.api<MadeSource>('POST', '/sources', { body }));
  }

  /** Sends what Alertmanager sends. */
  async alert(status: 'firing' | 'resolved', alert: Alert): Promise<void> {
    const now = this.#stage.time.now();
    if (status === 'firing') this.#fired.set(alert.name, now);
    await this.#prometheus(alertOf(status, alert, [this.#fired.get(alert.name) ?? now, now]));
  }

  /** Sends a body that nothing explains. */
  async strange(): Promise<void> {
    await this.#prometheus({ text: 'Is this the right address?' });
  }

  /** Sends what PagerDuty sends. */
  async page(kind: 'incident.triggered' | 'incident.resolved'): Promise<void> {
    const { api, time } = this.#stage;
    const body = JSON.stringify(pageOf(kind, time.now()));
    const signature = createHmac('sha256', pagerSecret).update(body).digest('hex');
    const headers = { 'x-pagerduty-signature': `v1=${signature}` };
    await api('POST', `/hooks/${this.#made.get('pagerduty')?.token}`, { key: '', body, headers });
  }

  async #prometheus(body: object): Promise<void> {
    const { secret = '', token } = this.#made.get('alertmanager') ?? {};
    await this.#stage.api('POST', `/hooks/${token}`, { key: secret, body });
  }
}

// prometheus.io/docs/alerting/latest/configuration/#webhook_config
function alertOf(status: string, alert: Alert, [startsAt, now]: readonly [number, number]): object {
  const { name, provider, severity, summary } = alert;
  const labels = { alertname: name, severity, provider };
  const endsAt = status === 'resolved' ? timestamp(now) : '0001-01-01T00:00:00Z';
  return {
    ...{ version: '4', groupKey: `{}:{alertname="${name}"}`, truncatedAlerts: 0, status, receiver: 'orb' },
    ...{ groupLabels: { alertname: name }, commonLabels: labels, commonAnnotations: { summary } },
    externalURL: 'http://prometheus.example.com',
    alerts: [{ status, labels, annotations: { summary }, startsAt: timestamp(startsAt), endsAt, fingerprint: name }],
  };
}

// developer.pagerduty.com/docs/webhooks-overview
function pageOf(event_type: string, now: number): object {
  const at = timestamp(now);
  const data = {
    ...{ id: 'Q1DEMO', type: 'incident', title: 'Mails are not sent', urgency: 'high', created_at: at },
    ...{ html_url: 'https://example.pagerduty.com/incidents/Q1DEMO', service: { id: 'PMAIL', summary: 'Mail' } },
  };
  return { event: { id: `${event_type} ${at}`, event_type, resource_type: 'incident', occurred_at: at, data } };
}
