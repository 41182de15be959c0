import { createHmac } from 'node:crypto';
import { golden } from '../../home.ts';

type Headers = Readonly<Record<string, string>>;

/** What one vendor is held against: golden payloads, its own way to sign, what must come of them. */
export interface VendorCase {
  readonly vendor: string;
  /** Members of the source beside name and vendor. */
  readonly source?: object;
  /** Signs as the vendor documents it; written here again, not taken from the code under test. */
  sign(secret: string, body: string, nowMs: number): Headers;
  /** The proof covers the bytes. */
  readonly signed: boolean;
  readonly strength: 'strong' | 'shared_secret';
  readonly headers?: (payload: string) => Headers;
  /** Name of a payload and members its first signal must have. */
  readonly golden: readonly [string, object];
  /** The later event first: payloads of one alert, in the order of time. */
  readonly pair: readonly [string, string];
  readonly unknown: string;
  /** A test message of the vendor's own. */
  readonly ping?: string;
}

const hmac = (algorithm: string, key: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac(algorithm, key).update(text).digest(encoding);
const json = { 'content-type': 'application/json' };

type Given = Omit<VendorCase, 'pair' | 'unknown'> & Partial<Pick<VendorCase, 'pair'>>;

const given: readonly Given[] = [
  {
    vendor: 'datadog',
    sign: (secret) => ({ 'x-orb-token': secret }),
    signed: false,
    strength: 'shared_secret',
    golden: [
      'datadog.firing',
      {
        state: 'firing',
        severity: 'high',
        severity_text: 'P2',
        occurred_at: '2025-11-21T08:00:00.000Z',
        episode_key: '4611686018427387904',
        vendor_event_id: '7451234567890123456',
      },
    ],
  },
  {
    vendor: 'segment',
    sign: (secret, body) => {
      const value = JSON.parse(body) as unknown;
      return { 'x-signature': hmac('sha1', secret, JSON.stringify(Array.isArray(value) ? value[0] : value)) };
    },
    signed: true,
    strength: 'shared_secret',
    golden: ['segment.batch', { type: 'orb.signal.analytics', title: 'Order Completed', vendor_type: 'track' }],
    pair: ['segment.single', 'segment.single'],
  },
  {
    vendor: 'mixpanel',
    sign: (secret) => ({ authorization: `Basic ${Buffer.from(`orb:${secret}`).toString('base64')}` }),
    signed: false,
    strength: 'shared_secret',
    golden: ['mixpanel.alert', { type: 'orb.signal.analytics', title: 'Purchases dropped', value: 71 }],
    pair: ['mixpanel.alert', 'mixpanel.later'],
  },
  {
    vendor: 'pagerduty',
    sign: (secret, body) => ({
      'x-pagerduty-signature': `v0=00,v1=${hmac('sha256', 'another secret', body)},v1=${hmac('sha256', secret, body)}`,
    }),
    signed: true,
    strength: 'strong',
    headers: (name) => ({ ...json, 'x-webhook-id': name }),
    golden: [
      'pagerduty.firing',
      {
        state: 'firing',
        severity: 'critical',
        severity_text: 'P1',
        occurred_at: '2026-11-20T10:00:00.000Z',
        title: 'A little bump in the road',
        episode_key: 'incident:PGR0VU2',
        vendor_type: 'incident.triggered',
      },
    ],
    ping: 'pagerduty.ping',
  },
  {
    vendor: 'sentry',
    sign: (secret, body) => ({ 'sentry-hook-signature': hmac('sha256', secret, body) }),
    signed: true,
    strength: 'strong',
    headers: (name) => ({
      ...json,
      'sentry-hook-resource':
        { 'sentry.unknown': 'hologram', 'sentry.installation': 'installation', 'sentry.metric': 'metric_alert' }[
          name
        ] ?? 'issue',
      'request-id': name,
    }),
    golden: [
      'sentry.firing',
      { state: 'firing', severity: 'high', episode_key: 'issue:1170820242', outsider_labels: true },
    ],
    ping: 'sentry.installation',
  },
  {
    vendor: 'grafana',
    source: { auth: { timestamp_header: 'X-Grafana-Alerting-Timestamp' } },
    sign(secret, body, now) {
      const seconds = String(Math.floor(now / 1000));
      return {
        'x-grafana-alerting-timestamp': seconds,
        'x-grafana-alerting-signature': hmac('sha256', secret, `${seconds}:${body}`),
      };
    },
    signed: true,
    strength: 'strong',
    golden: [
      'grafana.firing',
      { state: 'firing', severity: 'critical', title: 'Memory is short', value: 44.23943737541908 },
    ],
    ping: 'grafana.ping',
  },
  {
    vendor: 'alertmanager',
    sign: (secret) => ({ authorization: `Bearer ${secret}` }),
    signed: false,
    strength: 'shared_secret',
    golden: [
      'alertmanager.firing',
      {
        state: 'firing',
        severity: 'critical',
        severity_text: 'page',
        occurred_at: '2026-11-20T10:00:00.123Z',
        title: 'Errors above 5 %',
        episode_key: 'alert:9f0a1b2c3d4e5f60',
      },
    ],
  },
  {
    vendor: 'uptime-kuma',
    sign: (secret) => ({ 'x-orb-token': secret }),
    signed: false,
    strength: 'shared_secret',
    golden: [
      'uptime-kuma.firing',
      { state: 'firing', severity: 'high', occurred_at: '2026-11-20T10:00:00.250Z', episode_key: 'monitor:7' },
    ],
    ping: 'uptime-kuma.ping',
  },
  {
    vendor: 'github',
    sign: (secret, body) => ({ 'x-hub-signature-256': `sha256=${hmac('sha256', secret, body)}` }),
    signed: true,
    strength: 'strong',
    headers: (name) => ({
      ...json,
      'x-github-event': { 'github.ping': 'ping', 'github.unknown': 'levitation' }[name] ?? 'workflow_run',
      'x-github-delivery': `72d3162e-${name}`,
    }),
    golden: [
      'github.firing',
      {
        state: 'firing',
        severity: 'warning',
        vendor_type: 'workflow_run.completed',
        episode_key: 'workflow_run:30433642',
      },
    ],
    ping: 'github.ping',
  },
  {
    vendor: 'standard-webhooks',
    sign(secret, body, now) {
      const [id, seconds] = [`msg_${hmac('sha256', '', body).slice(0, 12)}`, String(Math.floor(now / 1000))];
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const mac = hmac('sha256', key, `${id}.${seconds}.${body}`, 'base64');
      return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,bm9wZQ== v1,${mac}` };
    },
    signed: true,
    strength: 'strong',
    golden: [
      'standard-webhooks.firing',
      { state: 'firing', severity: 'critical', title: 'Disk is full', episode_key: 'episode:alert-17' },
    ],
  },
  {
    vendor: 'cloudevents',
    sign: (secret) => ({ authorization: `Bearer ${secret}` }),
    signed: false,
    strength: 'shared_secret',
    headers: () => ({ 'content-type': 'application/cloudevents+json; charset=utf-8' }),
    golden: [
      'cloudevents.firing',
      { state: 'firing', severity: 'high', title: 'Disk is full', vendor_event_id: 'A234-1234-1234' },
    ],
  },
  {
    vendor: 'generic',
    source: {
      auth: { header: 'X-Acme-Sign', prefix: 'h=', algorithm: 'sha512', encoding: 'base64' },
      delivery_pointer: '/uuid',
      map: {
        episode: '/check/id',
        state: '/status',
        severity: '/level',
        title: '/what',
        time: '/at',
        type: '/kind',
        labels: '/tags',
        states: { RED: 'firing', GREEN: 'resolved' },
      },
    },
    sign: (secret, body) => ({ 'x-acme-sign': `h=${hmac('sha512', secret, body, 'base64')}` }),
    signed: true,
    strength: 'strong',
    golden: [
      'generic.firing',
      { state: 'firing', severity: 'critical', title: 'Disk is full', episode_key: 'episode:disk-1' },
    ],
  },
];

/** One case per vendor; its payloads bear its name. */
export const cases: readonly VendorCase[] = given.map((one) => ({
  pair: [`${one.vendor}.firing`, `${one.vendor}.resolved`],
  unknown: `${one.vendor}.unknown`,
  ...one,
}));

/** The request of one golden payload, signed. */
export function requestOf(one: VendorCase, name: string, secret: string, nowMs: number) {
  const body = golden(name);
  return { headers: { ...(one.headers?.(name) ?? json), ...one.sign(secret, body, nowMs) }, body };
}
