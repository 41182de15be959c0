import { given } from '../../../../kernel/index.ts';
import { configuredHmac, hexOfBody } from '../auth/configured-hmac.ts';
import { alertDraft, alertsOf, testAlert } from './alerts.ts';
import { number, text } from './read.ts';
import { defineVendor, jsonFixture, jsonSnippet, type Draft, type Vendor } from './vendor.ts';

const pseudo = new Set(['DatasourceNoData', 'DatasourceError']);

/** Grafana Alerting: the webhook contact point. */
export const grafana = defineVendor({
  name: 'grafana',
  version: 2,
  methods: ['POST', 'PUT'],
  limits: { bytes: 10 * 1024 * 1024, keys: 200_000 },
  schemes: ['signature', 'bearer', 'basic', 'header', 'url'],
  // `signed` applies only when both sides configure a timestamp header.
  signature: configuredHmac({
    ...hexOfBody,
    scheme: 'grafana.sha256',
    header: 'x-grafana-alerting-signature',
    prefix: '',
    signed: 'ts:body',
  }),
  // Twice the default repeat interval of 4 h.
  policy: { stale_after_s: 28_800 },
  normalize: ({ payload }) => alertsOf(payload).map((alert) => draftOf(alert, payload)),
  fixture: (nowMs, id) =>
    jsonFixture({
      receiver: 'orb',
      status: 'firing',
      state: 'alerting',
      orgId: 1,
      title: '[FIRING:1] TestAlert',
      message: 'A test delivery',
      version: '1',
      groupKey: `test-${id}`,
      truncatedAlerts: 0,
      groupLabels: {},
      commonLabels: { alertname: 'TestAlert', instance: 'Grafana' },
      commonAnnotations: { summary: 'Notification test' },
      externalURL: 'http://localhost:3000/',
      alerts: [testAlert(nowMs, id, { alertname: 'TestAlert', instance: 'Grafana' }, 'Notification test')],
    }),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'Alerting → Contact points → Webhook: enter the URL, method POST.',
      'HMAC Signature: enter the secret. A timestamp header there must be named here too (auth.timestamp_header).',
      'Alert labels orb_id, component, … say what an alert concerns, within may_name.',
    ],
    snippets: [jsonSnippet('Contact point (provisioning file)', contactPoint(url, secret, auth))],
  }),
});

function draftOf(alert: unknown, payload: unknown): Draft {
  const draft = alertDraft(alert, payload);
  const labels = draft.labels ?? {};
  const noData = draft.state === 'firing' && pseudo.has(labels['alertname'] ?? '');
  return {
    ...draft,
    ...(noData ? { state: 'unknown' as const } : {}),
    url: draft.url ?? text(alert, 'dashboardURL'),
    value: number(alert, 'values', 'A') ?? number(alert, 'values', 'B'),
    test: labels['alertname'] === 'TestAlert' && labels['instance'] === 'Grafana',
  };
}

function contactPoint(url: string, secret: string, auth: Parameters<Vendor['setup']>[0]['auth']): object {
  const ways = {
    signature: { hmacConfig: given({ secret, header: auth.header, timestampHeader: auth.timestamp_header }) },
    bearer: { authorization_scheme: 'Bearer', authorization_credentials: secret },
    basic: { username: auth.username ?? 'orb', password: secret },
    header: { headers: { [auth.header ?? 'X-Orb-Token']: secret } },
    url: {},
  };
  const settings = { url, httpMethod: 'POST', ...ways[auth.scheme] };
  return {
    apiVersion: 1,
    contactPoints: [{ orgId: 1, name: 'orb', receivers: [{ uid: 'orb', type: 'webhook', settings }] }],
  };
}
