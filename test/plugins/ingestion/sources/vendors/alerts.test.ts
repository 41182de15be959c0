import { expect } from 'chai';
import { alertmanager } from '../../../../../plugins/ingestion/sources/vendors/alertmanager.ts';
import { grafana } from '../../../../../plugins/ingestion/sources/vendors/grafana.ts';
import type { AuthSettings } from '../../../../../plugins/ingestion/sources/settings/schema.ts';
import { itReads, itRefuses, pasted } from './drafts.ts';

const alert = {
  status: 'firing',
  labels: { alertname: 'Errors', severity: 'page', priority: 'P4' },
  annotations: { summary: 'Errors above 5 %', description: 'since ten', message: 'other' },
  startsAt: '2026-11-20T10:00:00Z',
  endsAt: '2026-11-20T10:20:00Z',
  generatorURL: 'https://prometheus/graph',
  fingerprint: 'f1',
};
const one = (more: object = {}, group: object = {}) => ({ alerts: [{ ...alert, ...more }], ...group });
const ten = Date.UTC(2026, 10, 20, 10);

describe('Alertmanager', () => {
  itReads('alertmanager', [
    {
      name: 'reads an alert that fires, without its end',
      payload: one(),
      expected: {
        ...{ type: 'orb.signal.alert', vendor_type: 'firing', state: 'firing', occurred_at: ten, starts_at: ten },
        ...{ ends_at: undefined, severity_text: 'page', title: 'Errors above 5 %', summary: 'since ten' },
        ...{ url: 'https://prometheus/graph', episode_key: 'alert:f1', incomplete: false },
        ...{ labels: alert.labels, annotations: alert.annotations },
      },
    },
    {
      name: 'reads an alert that is over, with its end',
      payload: one({ status: 'resolved' }),
      expected: { state: 'resolved', occurred_at: ten + 1_200_000, starts_at: ten, ends_at: ten + 1_200_000 },
    },
    {
      name: 'takes the start of an alert that is over without an end',
      payload: one({ status: 'resolved', endsAt: undefined }),
      expected: { occurred_at: ten, ends_at: undefined },
    },
    {
      name: 'takes the start of an alert that is over before it began, as by another clock',
      payload: one({ status: 'resolved', endsAt: '2026-11-20T09:59:59Z' }),
      expected: { state: 'resolved', occurred_at: ten, starts_at: ten, ends_at: ten - 1000 },
    },
    {
      name: 'takes another status for information',
      payload: one({ status: 'pending' }),
      expected: { state: 'info', vendor_type: 'pending', ends_at: undefined },
    },
    {
      name: 'takes a missing status for information',
      payload: one({ status: undefined }),
      expected: { state: 'info', vendor_type: 'unknown' },
    },
    {
      name: 'takes the priority for the severity',
      payload: one({ labels: { priority: 'P4' } }),
      expected: { severity_text: 'P4', title: 'Errors above 5 %' },
    },
    {
      name: 'takes the name of the alert for its summary',
      payload: one({ annotations: { message: 'm' } }),
      expected: { title: 'Errors', summary: 'm' },
    },
    {
      name: 'names an alert that has no name',
      payload: one({ labels: {}, annotations: {} }),
      expected: { title: 'Alert', summary: undefined },
    },
    {
      name: 'makes a fingerprint of the labels, in any order',
      payload: one({ fingerprint: undefined, labels: { b: '2', a: '1', c: '3' } }),
      expected: { episode_key: 'alert:[["a","1"],["b","2"],["c","3"]]' },
    },
    { name: 'knows a group that was cut', payload: one({}, { truncatedAlerts: 1 }), expected: { incomplete: true } },
    { name: 'knows a group that was not', payload: one({}, { truncatedAlerts: 0 }), expected: { incomplete: false } },
  ]);

  itRefuses('alertmanager', [
    ...[{}, { alerts: {} }, { alerts: ['text'] }, { alerts: [null] }],
    ...['firing', 'resolved'].map((status) => one({ status, labels: null, fingerprint: null })),
  ]);

  const ways: readonly (readonly [AuthSettings, string])[] = [
    [{ scheme: 'bearer' }, 'http_config:|  authorization:|    credentials: "s3cret"'],
    [{ scheme: 'basic' }, 'http_config:|  basic_auth:|    username: "orb"|    password: "s3cret"'],
    [{ scheme: 'basic', username: 'me' }, 'http_config:|  basic_auth:|    username: "me"|    password: "s3cret"'],
    [{ scheme: 'header' }, 'http_config:|  http_headers:|    x-orb-token:|      secrets: ["s3cret"]'],
    [{ scheme: 'header', header: 'X-Own' }, 'http_config:|  http_headers:|    X-Own:|      secrets: ["s3cret"]'],
    [{ scheme: 'url' }, ''],
  ];
  for (const [auth, expected] of ways)
    it(`shows the receiver for ${JSON.stringify(auth)}`, () => {
      const rows = pasted(alertmanager, 'alertmanager.yml', auth).split('\n').slice(4);
      expect(rows.filter((row) => row !== '')).to.deep.equal(
        ['send_resolved: true', ...expected.split('|')].filter((row) => row !== '').map((row) => `        ${row}`),
      );
    });
});

describe('Grafana', () => {
  const test = { alertname: 'TestAlert', instance: 'Grafana' };
  itReads('grafana', [
    {
      name: 'reads an alert',
      payload: one({ values: { A: 4, B: 7 } }),
      expected: { state: 'firing', url: 'https://prometheus/graph', value: 4, test: false },
    },
    { name: 'takes the second value without the first', payload: one({ values: { B: 7 } }), expected: { value: 7 } },
    {
      name: 'takes the dashboard of an alert without a source',
      payload: one({ generatorURL: '', dashboardURL: 'https://d' }),
      expected: { url: 'https://d' },
    },
    {
      name: 'takes a source that fails for unknown',
      payload: one({ labels: { alertname: 'DatasourceError' } }),
      expected: { state: 'unknown' },
    },
    {
      name: 'takes a source that is back for resolved',
      payload: one({ status: 'resolved', labels: { alertname: 'DatasourceNoData' } }),
      expected: { state: 'resolved' },
    },
    { name: 'reads an alert without labels', payload: one({ labels: {} }), expected: { state: 'firing', test: false } },
    { name: 'marks its test', payload: one({ labels: test }), expected: { test: true } },
    {
      name: 'marks no alert of that name alone',
      payload: one({ labels: { ...test, instance: 'web-1' } }),
      expected: { test: false },
    },
    {
      name: 'marks no alert of that instance alone',
      payload: one({ labels: { ...test, alertname: 'Errors' } }),
      expected: { test: false },
    },
  ]);

  const ways: readonly (readonly [AuthSettings, object])[] = [
    [{ scheme: 'signature' }, { hmacConfig: { secret: 's3cret' } }],
    [
      { scheme: 'signature', header: 'X-Sign', timestamp_header: 'X-Time' },
      { hmacConfig: { secret: 's3cret', header: 'X-Sign', timestampHeader: 'X-Time' } },
    ],
    [{ scheme: 'bearer' }, { authorization_scheme: 'Bearer', authorization_credentials: 's3cret' }],
    [{ scheme: 'basic' }, { username: 'orb', password: 's3cret' }],
    [
      { scheme: 'basic', username: 'me' },
      { username: 'me', password: 's3cret' },
    ],
    [{ scheme: 'header' }, { headers: { 'X-Orb-Token': 's3cret' } }],
    [{ scheme: 'header', header: 'X-Own' }, { headers: { 'X-Own': 's3cret' } }],
    [{ scheme: 'url' }, {}],
  ];
  for (const [auth, expected] of ways)
    it(`shows the contact point for ${JSON.stringify(auth)}`, () => {
      const file = JSON.parse(pasted(grafana, 'Contact point (provisioning file)', auth)) as {
        contactPoints: { receivers: { settings: object }[] }[];
      };
      expect(file.contactPoints[0]?.receivers[0]?.settings).to.deep.equal({
        ...{ url: 'https://orb.example/hooks/t', httpMethod: 'POST' },
        ...expected,
      });
    });
});
