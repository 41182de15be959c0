import { configuredHmac, hexOfBody } from '../auth/configured-hmac.ts';
import { at, isRecord, labelPairs, meaning, tableOf, text, time } from './read.ts';
import { severityOf } from './severity.ts';
import { defineVendor, jsonFixture, snippet, type Draft } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { SignalState } from '../../signals/words.ts';

const states = tableOf<SignalState>({
  firing: ['incident.triggered', 'incident.reopened', 'incident.unacknowledged'],
  acknowledged: ['incident.acknowledged'],
  resolved: ['incident.resolved'],
});

/** PagerDuty: webhooks v3. */
export const pagerduty = defineVendor({
  name: 'pagerduty',
  version: 3,
  limits: { bytes: 1024 * 1024, keys: 10_000 },
  schemes: ['signature', 'header', 'basic', 'url'],
  signature: configuredHmac({ ...hexOfBody, scheme: 'pagerduty.v1', header: 'x-pagerduty-signature', prefix: 'v1=' }),
  keep: ['x-webhook-id'],
  // The event's id is preferred because it is signed and the header is not; both stay the same when a delivery is
  // repeated.
  deliveryKey: ({ headers }, payload) => text(payload(), 'event', 'id') ?? headers['x-webhook-id'],
  unsignedId: true,
  isDated: () => true,
  normalize({ payload }) {
    const event = at(payload, 'event');
    const kind = text(event, 'event_type');
    if (!isRecord(event) || kind === undefined)
      throw new Undecodable('unknown_shape', 'there is no event with an event_type; subscribe with webhooks v3');
    return [draftOf(event, kind)];
  },
  fixture: (nowMs, id) =>
    jsonFixture(
      {
        event: {
          id,
          event_type: 'pagey.ping',
          resource_type: 'pagey',
          occurred_at: new Date(nowMs).toISOString(),
          agent: null,
          client: null,
          data: { message: 'A test delivery', type: 'ping' },
        },
      },
      { 'x-webhook-id': id },
    ),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'Integrations → Generic Webhooks (v3) → New Webhook: enter the URL and subscribe to the incident events.',
      ...(auth.scheme === 'signature'
        ? ['PagerDuty shows the signing secret once: add it here with POST /sources/{id}/secrets {"secret": "…"}.']
        : ['Add the custom header, or the user and password in the URL, with the secret below.']),
    ],
    snippets: [snippet('Webhook URL', url), snippet('Secret', secret)],
  }),
});

function draftOf(event: unknown, kind: string): Draft {
  const data = at(event, 'data');
  const own = text(data, 'type') === 'incident';
  // Notes, status updates and similar events have their own id and name their incident in `incident`.
  const incident = own ? data : at(data, 'incident');
  const id = text(incident, 'id') ?? (kind.startsWith('incident.') ? text(data, 'id') : undefined);
  const state = meaning(states, kind) ?? 'info';
  if (state !== 'info' && id === undefined)
    throw new Undecodable('unknown_shape', 'the event names no incident (event.data.id)');
  const priority = text(data, 'priority', 'summary');
  const urgency = text(data, 'urgency');
  return {
    type: id === undefined ? 'orb.signal.change' : 'orb.signal.alert',
    vendor_event_id: text(event, 'id'),
    vendor_type: kind,
    occurred_at: time(event, 'occurred_at'),
    starts_at: time(data, 'created_at'),
    state,
    severity_text: priority ?? urgency,
    severity: severityOf(priority) ?? meaning(urgencies, urgency),
    title: text(data, 'title') ?? text(incident, 'summary') ?? kind,
    summary: text(data, 'resolve_reason', 'type') ?? text(data, 'message'),
    url: text(data, 'html_url') ?? text(incident, 'html_url'),
    episode_key: id === undefined ? `event:${kind}:${text(data, 'id') ?? ''}` : `incident:${id}`,
    labels: labelPairs([
      ['service', text(data, 'service', 'summary')],
      ['service_id', text(data, 'service', 'id')],
      ['incident_key', text(data, 'incident_key')],
      ['number', text(data, 'number')],
    ]),
    test: kind === 'pagey.ping',
  };
}

const urgencies: Readonly<Record<string, 'high' | 'warning'>> = { high: 'high', low: 'warning' };
