import { expect } from 'chai';
import { sentry } from '../../../../../plugins/ingestion/sources/vendors/sentry.ts';
import type { VendorSettings } from '../../../../../plugins/ingestion/sources/settings/schema.ts';
import { arrivalOf, draftsOf, itReads, itRefuses, keyOf } from './drafts.ts';

const settings = { auth: { scheme: 'signature' } } as VendorSettings;

const of = (resource: string) => ({ headers: { 'sentry-hook-resource': resource } });
const ten = Date.UTC(2026, 10, 20, 10);
const issue = {
  id: '117',
  shortId: 'PY-A',
  title: 'Error: could not send',
  culprit: 'send(mail)',
  level: 'error',
  priority: 'high',
  issueCategory: 'outage',
  project: { slug: 'mail' },
  firstSeen: '2026-11-20T10:00:00Z',
  lastSeen: '2026-11-20T10:05:00Z',
  web_url: 'https://sentry/1',
  permalink: 'https://sentry/2',
};
const event = {
  event_id: 'e1',
  issue_id: '117',
  issue_url: 'https://sentry/api/0/issues/118/',
  datetime: '2026-11-20T10:00:00Z',
  timestamp: 1763632860,
  level: 'fatal',
  title: 'Error',
  culprit: 'send',
  web_url: 'https://sentry/e',
  tags: [
    ['env', 'prod'],
    ['empty', null],
    [null, 'x'],
  ],
};
const metric = {
  id: '43',
  title: 'Error rate',
  date_started: '2026-11-20T10:00:00Z',
  date_detected: '2026-11-20T10:01:00Z',
  date_closed: '2026-11-20T10:20:00Z',
  projects: ['mail'],
  alert_rule: { name: 'Rate', environment: 'prod' },
};
const ofIssue = (action: string, more: object = {}) => ({ action, data: { issue: { ...issue, ...more } } });
const ofEvent = (more: object = {}, data: object = {}) => ({
  ...{ action: 'triggered', data: { event: { ...event, ...more }, triggered_rule: 'Rule', ...data } },
});
const ofMetric = (action: string, more: object = {}, data: object = {}) => ({
  ...{ action, data: { metric_alert: { ...metric, ...more }, ...data } },
});

describe('Sentry', () => {
  itReads('sentry', [
    {
      name: 'reads an issue',
      payload: ofIssue('created'),
      ...of('issue'),
      expected: {
        ...{ vendor_event_id: '117', vendor_type: 'issue.created', state: 'firing', severity_text: 'high' },
        ...{ occurred_at: ten + 300_000, starts_at: ten, title: 'Error: could not send', summary: 'send(mail)' },
        ...{ url: 'https://sentry/1', episode_key: 'issue:117', outsider: true },
        labels: { project: 'mail', short_id: 'PY-A', category: 'outage' },
      },
    },
    {
      name: 'reads an issue that says less',
      payload: ofIssue('created', { priority: null, title: '', web_url: undefined }),
      ...of('issue'),
      expected: { severity_text: 'error', title: 'PY-A', url: 'https://sentry/2' },
    },
    {
      name: 'reads an issue that says nothing',
      payload: { data: {} },
      ...of('issue'),
      expected: { title: 'Issue', episode_key: 'issue:', state: 'info', vendor_type: 'issue.' },
    },
    {
      name: 'reads the event of an alert',
      payload: ofEvent(),
      ...of('event_alert'),
      expected: {
        ...{ vendor_event_id: 'e1', vendor_type: 'event_alert.triggered', state: 'firing', occurred_at: ten },
        ...{ severity_text: 'fatal', title: 'Error', summary: 'send', url: 'https://sentry/e', outsider: true },
        ...{ episode_key: 'issue:117', labels: { env: 'prod', triggered_rule: 'Rule' } },
      },
    },
    {
      name: 'takes the stamp of an event without a date',
      payload: ofEvent({ datetime: null }),
      ...of('event_alert'),
      expected: { occurred_at: 1763632860_000 },
    },
    {
      name: 'takes the rule for the title',
      payload: ofEvent({ title: '' }),
      ...of('event_alert'),
      expected: { title: 'Rule' },
    },
    {
      name: 'names an event that has no name',
      payload: ofEvent({ title: '' }, { triggered_rule: '' }),
      ...of('event_alert'),
      expected: { title: 'Event alert' },
    },
    {
      name: 'finds the issue in its address',
      payload: ofEvent({ issue_id: undefined }),
      ...of('event_alert'),
      expected: { episode_key: 'issue:118' },
    },
    {
      name: 'takes an event without an issue by itself',
      payload: ofEvent({ issue_id: undefined, issue_url: 'https://sentry/issues/none/' }),
      ...of('event_alert'),
      expected: { episode_key: 'event:e1' },
    },
    {
      name: 'reads tags that are an object',
      payload: ofEvent({ tags: { env: 'dev' } }),
      ...of('event_alert'),
      expected: { labels: { env: 'dev', triggered_rule: 'Rule' } },
    },
    {
      name: 'takes an alert that did not trigger for information',
      payload: { ...ofEvent(), action: 'muted' },
      ...of('event_alert'),
      expected: { state: 'info' },
    },
    {
      name: 'reads a metric alert that is critical',
      payload: ofMetric(
        'critical',
        {},
        { description_title: 'Critical', description_text: '120', web_url: 'https://sentry/m' },
      ),
      ...of('metric_alert'),
      expected: {
        ...{ vendor_event_id: '43', vendor_type: 'metric_alert.critical', state: 'firing', severity_text: 'critical' },
        ...{ occurred_at: undefined, starts_at: ten, ends_at: ten + 1_200_000, title: 'Critical', summary: '120' },
        ...{ url: 'https://sentry/m', episode_key: 'metric_alert:43', outsider: undefined },
        labels: { alert_rule: 'Rate', environment: 'prod', project: 'mail' },
      },
    },
    {
      name: 'reads a metric alert that warns',
      payload: ofMetric('warning'),
      ...of('metric_alert'),
      expected: { state: 'firing', severity_text: 'warning', occurred_at: undefined, title: 'Error rate' },
    },
    {
      name: 'reads a metric alert whose time of detection is unknown, from its start',
      payload: ofMetric('open', { date_detected: null }),
      ...of('metric_alert'),
      expected: { state: 'info', occurred_at: ten },
    },
    {
      name: 'reads a metric alert that is over',
      payload: ofMetric('resolved'),
      ...of('metric_alert'),
      expected: { state: 'resolved', severity_text: undefined, occurred_at: undefined, ends_at: ten + 1_200_000 },
    },
    {
      name: 'takes another action for information',
      payload: ofMetric('open', { title: '', id: undefined }),
      ...of('metric_alert'),
      expected: { state: 'info', severity_text: undefined, title: 'Metric alert', episode_key: 'metric_alert:' },
    },
    {
      name: 'keeps other resources as information',
      payload: { action: 'created', data: {} },
      ...of('comment'),
      expected: {
        state: 'info',
        vendor_type: 'comment.created',
        title: 'comment created',
        episode_key: 'comment:created',
        test: false,
      },
    },
    {
      name: 'marks an installation as a test',
      payload: { action: 'created', data: {} },
      ...of('installation'),
      expected: { test: true },
    },
  ]);

  for (const [action, state] of [
    ['unresolved', 'firing'],
    ['resolved', 'resolved'],
    ['archived', 'suppressed'],
    ['ignored', 'suppressed'],
    ['assigned', 'info'],
  ])
    it(`takes an issue that is ${action} for ${state}`, () => {
      const [draft] = draftsOf('sentry', ofIssue(action ?? ''), of('issue').headers);
      expect(draft?.state).to.equal(state);
    });

  itRefuses('sentry', [{ data: {} }]);
  itRefuses('sentry', [{ action: 'created' }, 'x'], of('issue').headers);

  const keys: readonly (readonly [string, string, object, string | undefined])[] = [
    [
      'an issue by its last event',
      'issue',
      { action: 'created', data: { issue: { id: 1, lastSeen: 'then' } } },
      'issue:created:1:then',
    ],
    ['an event by itself', 'event_alert', { data: { event: { event_id: 'e' } } }, 'event_alert::e:e'],
    [
      'an end by its time',
      'metric_alert',
      { data: { metric_alert: { id: 1, date_closed: 'c', date_detected: 'd' } } },
      'metric_alert::1:c',
    ],
    [
      'a metric alert by its time',
      'metric_alert',
      { data: { metric_alert: { id: 1, date_detected: 'd' } } },
      'metric_alert::1:d',
    ],
    ['nothing without an id', 'issue', { data: { issue: { lastSeen: 'then' } } }, undefined],
    ['nothing without a time', 'issue', { data: { issue: { id: 1 } } }, undefined],
  ];
  for (const [name, resource, payload, expected] of keys)
    it(`knows ${name}`, () => {
      expect(keyOf('sentry', payload, of(resource).headers)).to.equal(expected);
    });

  it('knows what a person may do again, and a step of a metric alert, by its body', () => {
    const acts = ['resolved', 'unresolved', 'archived', 'ignored', 'assigned'].map((action) => [
      'issue',
      ofIssue(action),
    ]);
    const steps = ['warning', 'critical'].map((action) => ['metric_alert', ofMetric(action, { date_closed: null })]);
    for (const [resource, payload] of [...acts, ...steps] as [string, object][]) {
      const key = (body: string): string | undefined =>
        sentry.deliveryKey(arrivalOf(body, of(resource).headers), () => payload, settings);
      expect(key('one')).to.equal(key('one')).and.not.equal(key('two'));
    }
  });

  it('knows nothing without a resource', () => {
    expect(keyOf('sentry', ofIssue('created'))).to.equal(undefined);
  });
});
