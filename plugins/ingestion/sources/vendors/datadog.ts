import { labelPairs, list, meaning, number, tableOf, text, time } from './read.ts';
import { defineVendor, jsonFixture, jsonSnippet, snippet, type Draft } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { SignalState } from '../../signals/words.ts';

const names = [
  ...['id', 'alert_id', 'alert_cycle_key', 'aggreg_key', 'alert_transition', 'alert_type', 'alert_priority'],
  ...['alert_scope', 'alert_status', 'event_type', 'title', 'body', 'date', 'last_updated', 'hostname', 'org_id'],
  ...['tags', 'link'],
];
const variables: Readonly<Record<string, string>> = { title: '$EVENT_TITLE', body: '$EVENT_MSG' };
// The payload to enter at the vendor, which fills the variables.
const template = Object.fromEntries(names.map((name) => [name, variables[name] ?? `$${name.toUpperCase()}`]));

const transitions = tableOf<SignalState>({
  firing: ['triggered', 're-triggered', 'renotify', 'warn', 're-warn'],
  resolved: ['recovered'],
  unknown: ['no data', 're-no data'],
});

/** Datadog: monitors through the webhooks integration, with the payload template that setup prints. */
export const datadog = defineVendor({
  name: 'datadog',
  version: 2,
  limits: { bytes: 1024 * 1024, keys: 10_000 },
  schemes: ['header', 'basic', 'bearer', 'url'],
  normalize({ payload }) {
    const transition = filled(payload, 'alert_transition');
    const title = filled(payload, 'title');
    if (transition === undefined && title === undefined)
      throw new Undecodable('unknown_shape', 'neither alert_transition nor title is there; use the payload of setup');
    return [draftOf(payload, transition ?? '', title)];
  },
  fixture: (nowMs, id) =>
    jsonFixture({
      ...template,
      id,
      alert_id: '1',
      alert_cycle_key: `test-${id}`,
      alert_transition: 'Triggered',
      alert_type: 'error',
      alert_priority: 'P3',
      event_type: 'query_alert_monitor',
      title: 'Test of the webhook',
      body: 'A test delivery',
      date: String(nowMs),
      last_updated: String(nowMs),
      tags: 'monitor,test:true',
      link: 'https://app.datadoghq.com/event/event?id=1',
    }),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'Integrations → Webhooks → New: give it the name orb, the URL, the payload and the custom headers below.',
      'Name @webhook-orb in the message of every monitor that shall report.',
      'Tag the monitors orb:<ns.name> and orb_version:<version>: an orb_id with @ is not a legal tag.',
    ],
    snippets: [
      snippet('URL', url),
      jsonSnippet('Payload', template),
      jsonSnippet('Custom headers', headersOf(secret, auth.scheme, auth.header)),
    ],
  }),
});

function headersOf(secret: string, scheme: string, header = 'X-Orb-Token'): object {
  if (scheme === 'bearer') return { Authorization: `Bearer ${secret}` };
  return scheme === 'header' ? { [header]: secret } : {};
}

// A variable that the vendor did not fill arrives unchanged, e.g. `$ID`.
function filled(payload: unknown, name: string): string | undefined {
  const found = text(payload, name);
  return found === undefined || /^\$[A-Z_]+$/.test(found) || found === 'null' ? undefined : found;
}

function draftOf(payload: unknown, transition: string, title: string | undefined): Draft {
  const state = meaning(transitions, transition.toLowerCase()) ?? 'info';
  const warning = /^(re-)?warn$/i.test(transition);
  const word = filled(payload, 'alert_priority') ?? filled(payload, 'alert_type');
  const episode = filled(payload, 'alert_cycle_key') ?? filled(payload, 'aggreg_key') ?? filled(payload, 'alert_id');
  const at = filled(payload, 'last_updated') ?? filled(payload, 'date');
  return {
    type: 'orb.signal.alert',
    vendor_event_id: filled(payload, 'id'),
    vendor_type: filled(payload, 'event_type') ?? 'event',
    occurred_at: time(at) ?? time(number(at)),
    state,
    severity_text: word,
    ...(warning ? { severity: 'warning' as const } : {}),
    title: title ?? `Monitor ${filled(payload, 'alert_id') ?? ''}`,
    summary: filled(payload, 'body'),
    url: filled(payload, 'link'),
    episode_key: episode ?? `event:${filled(payload, 'id') ?? title ?? ''}`,
    labels: labelPairs(tagsOf(payload)),
  };
}

/** Reads tags as a comma list or an array of `name:value`; a tag without a value is `true`. */
function* tagsOf(payload: unknown): Generator<readonly [string, string]> {
  const tags = filled(payload, 'tags')?.split(',') ?? list(payload, 'tags').map((tag) => text([tag], 0) ?? '');
  for (const tag of tags) {
    const [name = '', ...rest] = tag.trim().split(':');
    if (name !== '') yield [name, rest.length === 0 ? 'true' : rest.join(':')];
  }
  const hostname = filled(payload, 'hostname');
  if (hostname !== undefined) yield ['host', hostname];
}
