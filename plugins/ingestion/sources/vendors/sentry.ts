import { createHash } from 'node:crypto';
import { configuredHmac, hexOfBody } from '../auth/configured-hmac.ts';
import { at, idOf, labelPairs, labelsOf, list, meaning, tableOf, text, time } from './read.ts';
import { defineVendor, jsonFixture, quiet, snippet, type Draft } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { SignalState } from '../../signals/words.ts';

const issueStates = tableOf<SignalState>({
  firing: ['created', 'unresolved'],
  resolved: ['resolved'],
  suppressed: ['archived', 'ignored'],
});

/** Sentry: the integration platform (issue, metric_alert, event_alert and all other resources). */
export const sentry = defineVendor({
  name: 'sentry',
  version: 4,
  limits: { bytes: 2 * 1024 * 1024, keys: 10_000 },
  schemes: ['signature', 'url'],
  signature: configuredHmac({ ...hexOfBody, scheme: 'sentry.sha256', header: 'sentry-hook-signature', prefix: '' }),
  keep: ['sentry-hook-resource', 'sentry-hook-timestamp', 'request-id'],
  // Event alerts never resolve.
  policy: { ttl_s: 86_400 },
  deliveryKey({ headers, raw }, payload) {
    const resource = headers['sentry-hook-resource'];
    const action = text(payload(), 'action');
    const data = at(payload(), 'data');
    const object = at(data, 'metric_alert') ?? at(data, 'issue') ?? at(data, 'event');
    const id = text(object, 'id') ?? text(object, 'event_id');
    const moments = ['date_closed', 'date_detected', 'event_id', 'lastSeen'].map((name) => text(object, name));
    const moment = moments.find((one) => one !== undefined);
    // Without an id and a time in the object the same action may come again, so the body is the key.
    if (resource === undefined || id === undefined || moment === undefined) return undefined;
    const key = [resource, action, id, moment].join(':');
    // An act of a person, and a step of a metric alert, may come again while the object keeps its times.
    const repeatable = resource === 'issue' ? action !== 'created' : action === 'critical' || action === 'warning';
    return repeatable ? `${key}:${createHash('sha256').update(raw).digest('base64url')}` : key;
  },
  // The resource, a part of the id, is in a header.
  unsignedId: true,
  isDated: () => true,
  normalize({ payload, headers }) {
    const resource = headers['sentry-hook-resource'];
    const data = at(payload, 'data');
    if (resource === undefined || data === undefined)
      throw new Undecodable('unknown_shape', 'Sentry-Hook-Resource or data is missing');
    const action = text(payload, 'action') ?? '';
    if (resource === 'metric_alert') return [metricDraft(at(data, 'metric_alert'), data, action)];
    if (resource === 'issue') return [issueDraft(at(data, 'issue'), action)];
    if (resource === 'event_alert') return [eventDraft(at(data, 'event'), data, action)];
    return [otherDraft(resource, action)];
  },
  fixture: (nowMs, id) =>
    jsonFixture(
      {
        action: 'created',
        installation: { uuid: id },
        data: { installation: { uuid: id, status: 'installed', date: new Date(nowMs).toISOString() } },
        actor: { type: 'application', id: 'sentry', name: 'Sentry' },
      },
      { 'sentry-hook-resource': 'installation', 'request-id': id },
    ),
  setup: ({ url }) => ({
    steps: [
      'Settings → Developer Settings → Create New Integration → Internal Integration: enter the webhook URL.',
      'Switch the webhooks issue and, as an alert rule action, the integration itself on.',
      'Copy its client secret and add it here with POST /sources/{id}/secrets {"secret": "…"}.',
    ],
    snippets: [snippet('Webhook URL', url)],
  }),
});

function metricDraft(alert: unknown, data: unknown, action: string): Draft {
  const firing = action === 'critical' || action === 'warning';
  const state = action === 'resolved' ? 'resolved' : firing ? 'firing' : 'info';
  const [started, closed] = [time(alert, 'date_started'), time(alert, 'date_closed')];
  return {
    type: 'orb.signal.alert',
    vendor_event_id: text(alert, 'id'),
    vendor_type: `metric_alert.${action}`,
    // The detection keeps its time when the alert becomes better or worse, so only the arrival shows that of the step.
    // Its end may lie before that arrival.
    occurred_at: state === 'info' ? (time(alert, 'date_detected') ?? started) : undefined,
    starts_at: started,
    ends_at: closed,
    state,
    severity_text: firing ? action : undefined,
    title: text(data, 'description_title') ?? text(alert, 'title') ?? 'Metric alert',
    summary: text(data, 'description_text'),
    url: text(data, 'web_url'),
    episode_key: `metric_alert:${idOf(state, alert, 'id')}`,
    labels: labelPairs([
      ['alert_rule', text(alert, 'alert_rule', 'name')],
      ['environment', text(alert, 'alert_rule', 'environment')],
      ['project', text(alert, 'projects', 0)],
    ]),
  };
}

function issueDraft(issue: unknown, action: string): Draft {
  const state = meaning(issueStates, action) ?? 'info';
  return {
    type: 'orb.signal.alert',
    vendor_event_id: text(issue, 'id'),
    vendor_type: `issue.${action}`,
    // A person's action does not change the issue's last event, so only the arrival shows its time.
    occurred_at: action === 'created' ? time(issue, 'lastSeen') : undefined,
    starts_at: time(issue, 'firstSeen'),
    state,
    severity_text: text(issue, 'priority') ?? text(issue, 'level'),
    title: text(issue, 'title') ?? text(issue, 'shortId') ?? 'Issue',
    summary: text(issue, 'culprit'),
    url: text(issue, 'web_url') ?? text(issue, 'permalink'),
    episode_key: `issue:${idOf(state, issue, 'id')}`,
    labels: labelPairs([
      ['project', text(issue, 'project', 'slug')],
      ['short_id', text(issue, 'shortId')],
      ['category', text(issue, 'issueCategory')],
    ]),
    // Anyone with the public DSN can write title and culprit.
    outsider: true,
  };
}

function eventDraft(event: unknown, data: unknown, action: string): Draft {
  const state = action === 'triggered' ? 'firing' : 'info';
  const issue = text(event, 'issue_id') ?? /\/issues\/(\d{1,30})\/?$/.exec(text(event, 'issue_url') ?? '')?.[1];
  return {
    type: 'orb.signal.alert',
    vendor_event_id: text(event, 'event_id'),
    vendor_type: `event_alert.${action}`,
    occurred_at: time(event, 'datetime') ?? time(event, 'timestamp'),
    state,
    severity_text: text(event, 'level'),
    title: text(event, 'title') ?? text(data, 'triggered_rule') ?? 'Event alert',
    summary: text(event, 'culprit'),
    url: text(event, 'web_url'),
    // The webhook of the issue resolves this alert.
    episode_key: issue === undefined ? `event:${idOf(state, event, 'event_id')}` : `issue:${issue}`,
    labels: { ...tagsOf(event), ...labelPairs([['triggered_rule', text(data, 'triggered_rule')]]) },
    outsider: true,
  };
}

function tagsOf(event: unknown): Record<string, string> {
  const pairs = list(event, 'tags');
  if (pairs.length === 0) return labelsOf(event, 'tags');
  return labelPairs(pairs.map((pair) => [text(pair, 0) ?? '', text(pair, 1)]));
}

function otherDraft(resource: string, action: string): Draft {
  return {
    ...quiet,
    vendor_type: `${resource}.${action}`,
    title: `${resource} ${action}`,
    episode_key: `${resource}:${action}`,
    test: resource === 'installation',
  };
}
