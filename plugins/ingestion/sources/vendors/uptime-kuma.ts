import { secretHeader } from '../auth/secret.ts';
import { withoutNul } from '../payload/parse.ts';
import { at, isRecord, labelPairs, list, number, text, time } from './read.ts';
import { defineVendor, jsonFixture, jsonSnippet, quiet, snippet, type Draft } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { SignalState } from '../../signals/words.ts';

const states: readonly SignalState[] = ['firing', 'resolved', 'unknown', 'suppressed'];

/** Uptime Kuma: the webhook notification as JSON, as form data, or as a GET with a query. */
export const uptimeKuma = defineVendor({
  name: 'uptime-kuma',
  version: 1,
  methods: ['POST', 'GET'],
  limits: { bytes: 1024 * 1024, keys: 10_000 },
  schemes: ['header', 'url'],
  decode({ method, headers, raw }, parse) {
    if (method === 'GET') {
      const asked = new URLSearchParams(Buffer.from(raw).toString());
      const msg = asked.get('msg');
      const part = (name: string): unknown => parse(Buffer.from(asked.get(name) ?? 'null'));
      const told = msg === null ? undefined : withoutNul(msg);
      return { heartbeat: part('heartbeat'), monitor: part('monitor'), msg: told };
    }
    const type = headers['content-type'] ?? '';
    if (!type.toLowerCase().startsWith('multipart/form-data')) return parse(raw);
    const data = fieldOfForm(raw, type, 'data');
    if (data === undefined) throw new Undecodable('unknown_shape', 'the form has no field data');
    return parse(data);
  },
  normalize({ payload }) {
    if (!isRecord(payload) || !('msg' in payload || 'heartbeat' in payload))
      throw new Undecodable('unknown_shape', 'there is neither heartbeat nor msg; remove the custom body');
    return [isRecord(at(payload, 'heartbeat')) ? beatDraft(payload) : noticeDraft(payload)];
  },
  fixture: (_, id) => jsonFixture({ heartbeat: null, monitor: null, msg: `A test delivery (${id})` }),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'Settings → Notifications → Setup Notification → Webhook: enter the URL, request body application/json.',
      'Switch Additional Headers on and enter the JSON below.',
    ],
    snippets: [
      snippet('Post URL', url),
      jsonSnippet('Additional Headers', auth.scheme === 'url' ? {} : { [auth.header ?? secretHeader]: secret }),
    ],
  }),
});

function beatDraft(payload: unknown): Draft {
  const beat = at(payload, 'heartbeat');
  const monitor = at(payload, 'monitor');
  const status = number(beat, 'status');
  const id = text(beat, 'monitorID') ?? text(monitor, 'id') ?? '';
  return {
    type: 'orb.signal.alert',
    vendor_type: `heartbeat.${status ?? 'unknown'}`,
    occurred_at: time(beat, 'time'),
    state: states[status ?? -1] ?? 'info',
    title: text(monitor, 'name') ?? `Monitor ${id}`,
    summary: text(beat, 'msg') ?? text(payload, 'msg'),
    url: text(monitor, 'url'),
    episode_key: `monitor:${id}`,
    value: number(beat, 'ping'),
    labels: labelPairs([
      ['monitor', text(monitor, 'name')],
      ['monitor_type', text(monitor, 'type')],
      ...list(monitor, 'tags').map((tag) => [text(tag, 'name') ?? '', text(tag, 'value') ?? 'true'] as const),
    ]),
  };
}

/** Makes the draft of a test or of an expiring certificate or domain: there is no heartbeat, and nothing is down. */
function noticeDraft(payload: unknown): Draft {
  const message = text(payload, 'msg') ?? 'Notice';
  const test = /test/i.test(message);
  return { ...quiet, vendor_type: 'notice', title: message, episode_key: `notice:${message}`, test };
}

/** Cuts one field out of a multipart body; undefined when the field is missing. */
export function fieldOfForm(body: Uint8Array, contentType: string, name: string): Uint8Array | undefined {
  const boundary = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) return undefined;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const line = Buffer.from(`--${mark}`);
  let at = bytes.indexOf(line);
  for (let part = 0; part < 20; part++) {
    const start = at + line.length;
    const next = bytes.indexOf(line, start);
    if (next < 0) return undefined;
    const head = bytes.indexOf('\r\n\r\n', start);
    if (head >= 0 && head < next && headNames(bytes.toString('latin1', start, head), name))
      return bytes.subarray(head + 4, next - 2);
    at = next;
  }
  return undefined;
}

function headNames(head: string, name: string): boolean {
  const disposition = head.split('\r\n').find((row) => /^content-disposition:/i.test(row)) ?? '';
  return disposition.split(';').some((part) => part.trim() === `name="${name}"`);
}
