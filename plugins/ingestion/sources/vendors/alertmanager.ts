import { basicUser, secretHeader } from '../auth/secret.ts';
import { alertDraft, alertsOf, testAlert } from './alerts.ts';
import { defineVendor, jsonFixture, snippet } from './vendor.ts';
import type { AuthSettings } from '../settings/schema.ts';

/** Prometheus Alertmanager: the webhook receiver. */
export const alertmanager = defineVendor({
  name: 'alertmanager',
  version: 2,
  limits: { bytes: 10 * 1024 * 1024, keys: 500_000 },
  schemes: ['bearer', 'basic', 'header', 'url'],
  // Twice the default repeat interval of 4 h.
  policy: { stale_after_s: 28_800 },
  normalize: ({ payload }) => alertsOf(payload).map((alert) => alertDraft(alert, payload)),
  fixture: (nowMs, id) =>
    jsonFixture(
      {
        version: '4',
        groupKey: `{}:{alertname="OrbTest"}`,
        truncatedAlerts: 0,
        status: 'firing',
        receiver: 'orb',
        groupLabels: { alertname: 'OrbTest' },
        commonLabels: { alertname: 'OrbTest', severity: 'warning' },
        commonAnnotations: { summary: 'A test delivery' },
        externalURL: 'http://localhost:9093',
        alerts: [testAlert(nowMs, id, { alertname: 'OrbTest', severity: 'warning' }, 'A test delivery')],
      },
      { 'user-agent': 'Alertmanager/0.0.0' },
    ),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'Add the receiver to alertmanager.yml and name it in a route.',
      'Alert labels orb_id, component, … say what an alert concerns, within may_name.',
    ],
    snippets: [snippet('alertmanager.yml', receiver(url, secret, auth), 'yaml')],
  }),
});

function receiver(url: string, secret: string, auth: AuthSettings): string {
  const ways: Readonly<Record<AuthSettings['scheme'], readonly string[]>> = {
    bearer: ['http_config:', '  authorization:', `    credentials: ${JSON.stringify(secret)}`],
    basic: [
      'http_config:',
      '  basic_auth:',
      `    username: ${JSON.stringify(auth.username ?? basicUser)}`,
      `    password: ${JSON.stringify(secret)}`,
    ],
    header: [
      'http_config:',
      '  http_headers:',
      `    ${auth.header ?? secretHeader}:`,
      `      secrets: [${JSON.stringify(secret)}]`,
    ],
    url: [],
    signature: [],
  };
  const head = ['receivers:', '  - name: orb', '    webhook_configs:', `      - url: ${JSON.stringify(url)}`];
  const rest = ['send_resolved: true', ...ways[auth.scheme]].map((row) => `        ${row}`);
  return [...head, ...rest, ''].join('\n');
}
