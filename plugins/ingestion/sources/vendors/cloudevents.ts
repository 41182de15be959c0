import { withoutNul } from '../payload/parse.ts';
import { alertInData, mappedDraft } from './field-map.ts';
import { at, isRecord, labelsOf, text, time } from './read.ts';
import { defineVendor, jsonFixture, snippet, type Draft } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { Arrival } from '../auth/proof.ts';
import type { AuthSettings, FieldMap } from '../settings/schema.ts';

const defaults: FieldMap = { ...alertInData, time: '/time' };

/** CloudEvents 1.0 over HTTP: binary, structured and batch mode. */
export const cloudevents = defineVendor({
  name: 'cloudevents',
  version: 1,
  limits: { bytes: 1024 * 1024, keys: 50_000 },
  schemes: ['bearer', 'header', 'url'],
  keep: ['ce-id', 'ce-source', 'ce-specversion', 'ce-type', 'ce-time', 'ce-subject', 'ce-dataschema'],
  deliveryKey(arrival, payload) {
    const event = isBinary(arrival) ? attributesOf(arrival.headers) : payload();
    const [source, id] = [text(event, 'source'), text(event, 'id')];
    return source === undefined || id === undefined ? undefined : `${source} ${id}`;
  },
  decode(arrival, parse) {
    if (!isBinary(arrival)) return parse(arrival.raw);
    const type = (arrival.headers['content-type'] ?? '').toLowerCase();
    const json = type === '' || /^(application|text)\/([a-z0-9.+-]+\+)?json\b/.test(type);
    const data = arrival.raw.length === 0 ? undefined : json ? parse(arrival.raw) : undefined;
    return { ...attributesOf(arrival.headers), ...(data === undefined ? {} : { data }) };
  },
  normalize({ payload, settings }) {
    const events: readonly unknown[] = Array.isArray(payload) ? payload : [payload];
    return events.map((event) => draftOf(event, settings.map ?? {}));
  },
  fixture: (nowMs, id) =>
    jsonFixture(
      {
        specversion: '1.0',
        id,
        source: '/orb/test',
        type: 'orb.test',
        time: new Date(nowMs).toISOString(),
        data: { title: 'A test delivery' },
      },
      { 'content-type': 'application/cloudevents+json' },
    ),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'Send events by HTTP in binary, structured or batch mode; the webhook handshake (OPTIONS) is answered.',
      'The data: {"id", "state", "severity", "title", "url", "labels"}; other shapes by `map`.',
    ],
    snippets: [snippet('URL', url), snippet('Header', headerOf(auth, secret))],
  }),
});

function headerOf({ scheme, header = 'X-Orb-Token' }: AuthSettings, secret: string): string {
  if (scheme === 'header') return `${header}: ${secret}`;
  return scheme === 'bearer' ? `Authorization: Bearer ${secret}` : '';
}

function isBinary({ headers }: Pick<Arrival, 'headers'>): boolean {
  return headers['ce-specversion'] !== undefined && !/^application\/cloudevents/i.test(headers['content-type'] ?? '');
}

function attributesOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(headers).filter(([name]) => name.startsWith('ce-'));
  return Object.fromEntries(pairs.map(([name, value]) => [name.slice(3), decoded(value)]));
}

// The HTTP binding percent-encodes characters that a header cannot contain.
function decoded(value: string): string {
  try {
    return withoutNul(decodeURIComponent(value));
  } catch {
    return value;
  }
}

function draftOf(event: unknown, map: FieldMap): Draft {
  const kind = text(event, 'type');
  if (!isRecord(event) || kind === undefined || text(event, 'id') === undefined)
    throw new Undecodable('unknown_shape', 'an event lacks id or type');
  const draft = mappedDraft(event, map, defaults);
  const subject = text(event, 'subject');
  const own = map.episode === undefined && text(at(event, 'data'), 'id') === undefined;
  return {
    ...draft,
    vendor_event_id: text(event, 'id'),
    occurred_at: draft.occurred_at ?? time(event, 'time'),
    title: draft.title === kind && subject !== undefined ? `${kind}: ${subject}` : draft.title,
    ...(own ? { episode_key: `event:${text(event, 'source') ?? ''}:${subject ?? kind}` } : {}),
    labels: { ...labelsOf(event, 'data', 'labels'), ...draft.labels },
  };
}
