import { at, isRecord, labelPairs, list, number, text, time } from './read.ts';
import { counted, defineVendor, jsonFixture, snippet, type Draft } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';

const cohortActions = new Set(['members', 'add_members', 'remove_members']);

/** Mixpanel: custom alerts, and the cohort sync, whose members are counted but never stored. */
export const mixpanel = defineVendor({
  name: 'mixpanel',
  version: 1,
  limits: { bytes: 1024 * 1024, keys: 50_000 },
  schemes: ['basic', 'url'],
  deliveryKey(_, payload) {
    const id = text(payload(), 'alert', 'id');
    const fired = text(payload(), 'alert', 'fired_at');
    return id === undefined || fired === undefined ? undefined : `${id}:${fired}`;
  },
  normalize({ payload }) {
    if (!isRecord(payload)) throw new Undecodable('unknown_shape', 'the body is not an object');
    if (isCohort(payload)) return [cohortDraft(payload)];
    return [alertDraft(payload)];
  },
  reduce(payload) {
    if (!isRecord(payload) || !isCohort(payload)) return undefined;
    const { parameters } = payload;
    const kept = isRecord(parameters) ? { ...parameters, members: undefined } : {};
    return { ...payload, parameters: { ...kept, member_count: list(parameters, 'members').length } };
  },
  answer(payload) {
    return isCohort(payload) ? { action: text(payload, 'action'), status: 'success' } : undefined;
  },
  fixture: (nowMs, id) =>
    jsonFixture({
      event_type: 'custom_alert_triggered',
      alert: { id, name: 'Test of the webhook', project_id: 1, fired_at: new Date(nowMs).toISOString() },
      condition: { type: 'threshold', operator: '>', threshold: 1, current_value: 2, sentence: 'A test delivery' },
      report: {},
      links: {},
    }),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'Alerts → Custom alert → Webhook: enter the URL; switch Basic authentication on with the user and password below.',
      'Cohort sync: add the same URL as a custom webhook. Members are counted, never kept.',
    ],
    snippets: [snippet('URL', url), snippet('User', auth.username ?? 'orb'), snippet('Password', secret)],
  }),
});

function isCohort(payload: unknown): boolean {
  return cohortActions.has(text(payload, 'action') ?? '') && isRecord(at(payload, 'parameters'));
}

function cohortDraft(payload: unknown): Draft {
  const id = text(payload, 'parameters', 'mixpanel_cohort_id') ?? 'unknown';
  const action = text(payload, 'action') ?? '';
  return {
    ...counted,
    vendor_type: `cohort.${action}`,
    title: `Cohort ${id}: ${action}`,
    episode_key: `cohort:${id}`,
    value: number(payload, 'parameters', 'member_count') ?? list(payload, 'parameters', 'members').length,
  };
}

function alertDraft(payload: unknown): Draft {
  const id = text(payload, 'alert', 'id');
  const kind = text(payload, 'event_type') ?? 'unknown';
  const known = kind === 'custom_alert_triggered' && id !== undefined;
  return {
    // Mixpanel is an analytics vendor: its alerts are usage metrics, never incidents.
    type: 'orb.signal.analytics',
    vendor_event_id: id,
    vendor_type: kind,
    occurred_at: time(payload, 'alert', 'fired_at'),
    // The alert is never resolved, so it must not open anything.
    state: 'info',
    severity: known ? 'warning' : 'info',
    title: text(payload, 'alert', 'name') ?? kind,
    summary: text(payload, 'condition', 'sentence'),
    url: text(payload, 'links', 'alert') ?? text(payload, 'links', 'report'),
    episode_key: `alert:${id ?? kind}`,
    value: number(payload, 'condition', 'current_value'),
    labels: labelPairs([['project_id', text(payload, 'alert', 'project_id')]]),
  };
}
