import { createHmac, randomUUID } from 'node:crypto';
import type { Book } from './book.ts';
import type { Client } from './client.ts';

/** A vendor that sends: where to, and how an event becomes a signed request. */
export interface Sender {
  readonly vendor: string;
  readonly path: string;
  readonly sign: (event: Event) => { readonly body: string; readonly headers: Readonly<Record<string, string>> };
}

interface Event {
  readonly id: string;
  /** Events come in pairs: an alert, and its end. */
  readonly alert: string;
  readonly firing: boolean;
}

type Form = (secret: string, event: Event) => ReturnType<Sender['sign']>;

const type = 'application/json';
const json = { 'content-type': type };
const mac = (algorithm: string, secret: string, text: string): string =>
  createHmac(algorithm, secret).update(text).digest('hex');

const pagerduty: Form = (secret, { id, alert, firing }) => {
  const at = new Date().toISOString();
  const data = { id: alert, type: 'incident', title: `Alert ${alert}`, urgency: 'high', created_at: at };
  const event_type = firing ? 'incident.triggered' : 'incident.resolved';
  const body = JSON.stringify({ event: { id, event_type, resource_type: 'incident', occurred_at: at, data } });
  return {
    body,
    headers: { ...json, 'x-pagerduty-signature': `v1=${mac('sha256', secret, body)}`, 'x-webhook-id': id },
  };
};

const datadog: Form = (secret, { id, alert, firing }) => {
  const fields = { id, alert_id: '7', alert_cycle_key: alert, alert_type: 'error', alert_priority: 'P2' };
  const tags = 'service:soak,orb:demo.echo,orb_version:1.0.0';
  const alert_transition = firing ? 'Triggered' : 'Recovered';
  const body = JSON.stringify({
    ...{ ...fields, alert_transition, event_type: 'query_alert_monitor', title: `Monitor ${alert}`, tags },
    ...{ date: String(Date.now()), last_updated: String(Date.now()) },
  });
  return { body, headers: { ...json, 'x-orb-token': secret } };
};

const segment: Form = (secret, { id }) => {
  const at = new Date().toISOString();
  const body = JSON.stringify({
    messageId: id,
    type: 'track',
    event: 'Soaked',
    userId: 'u1',
    timestamp: at,
    version: 2,
  });
  return { body, headers: { ...json, 'x-signature': mac('sha1', secret, body) } };
};

const github: Form = (secret, { id, alert, firing }) => {
  const at = new Date().toISOString();
  const body = JSON.stringify({
    action: 'completed',
    workflow_run: {
      ...{
        id: Number.parseInt(alert.slice(0, 8), 16),
        name: 'Build',
        run_number: 1,
        event: 'push',
        status: 'completed',
      },
      ...{
        conclusion: firing ? 'failure' : 'success',
        created_at: at,
        updated_at: at,
        run_started_at: at,
        run_attempt: 1,
      },
    },
    repository: { id: 1, name: 'soak', full_name: 'soak/soak' },
  });
  const signature = { 'x-hub-signature-256': `sha256=${mac('sha256', secret, body)}` };
  return { body, headers: { ...json, ...signature, 'x-github-event': 'workflow_run', 'x-github-delivery': id } };
};

const forms: readonly {
  readonly form: Form;
  readonly source: { readonly vendor: string; readonly [member: string]: unknown };
}[] = [
  { form: pagerduty, source: { vendor: 'pagerduty', binding: { kind: 'component', id: 'observable_engine' } } },
  { form: datadog, source: { vendor: 'datadog', may_name: { orbs: ['demo.*'] } } },
  { form: segment, source: { vendor: 'segment' } },
  { form: github, source: { vendor: 'github' } },
];

/** Makes a source per vendor through the API. */
export async function makeSenders(client: Client, adminKey: string): Promise<readonly Sender[]> {
  const senders: Sender[] = [];
  for (const { form, source } of forms) {
    const body = { name: `soak ${source.vendor}`, ...source };
    const made = await client.ask('/sources', { key: adminKey, json: body, fits: [201] });
    const secret = String(made?.json['secret']);
    const path = `/hooks/${String(made?.json['token'])}`;
    senders.push({ vendor: source.vendor, path, sign: (event) => form(secret, event) });
  }
  return senders;
}

/** Makes what one vendor does, round by round: an alert and its end, each sent until it is taken, some twice. */
export function createSender(
  { vendor, path, sign }: Sender,
  client: Client,
  book: Book,
): (round: number) => Promise<void> {
  let alert = '';
  const deliver = async (event: Event, body: string, headers: Readonly<Record<string, string>>): Promise<void> => {
    const received = await client.insist(path, { method: 'POST', headers, body, fits: [200, 202] });
    const deliveryId = received?.json['delivery_id'];
    if (typeof deliveryId === 'string') book.delivered(`${vendor} ${event.id}`, deliveryId);
  };
  return async (round) => {
    const firing = round % 2 === 0;
    if (firing) alert = randomUUID().replaceAll('-', '');
    const event = { id: randomUUID(), alert, firing };
    const { body, headers } = sign(event);
    await deliver(event, body, headers);
    if (round % 5 === 0) await deliver(event, body, headers);
    // A forger knows the address but not the secret; he is slow enough not to be locked out.
    if (round % 50 === 49) {
      const forged = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          value === type ? type : value.replace(/.{8}$/, '00000000'),
        ]),
      );
      await client.ask(path, { method: 'POST', headers: forged, body: `${body} `, fits: [401] });
    }
  };
}
