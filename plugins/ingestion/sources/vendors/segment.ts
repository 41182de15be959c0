import { createHmac } from 'node:crypto';
import { signatureFault } from '../auth/fault.ts';
import { findSecret, fromHex } from '../auth/hmac.ts';
import { parsePayload } from '../payload/parse.ts';
import { isRecord, text, time } from './read.ts';
import { counted, defineVendor, jsonFixture, snippet, type Draft } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { Signature } from '../auth/proof.ts';

/**
 * X-Signature is the HMAC-SHA1 of the event's JSON; for a batch, of its first event only. The sender's own text of that
 * event is tried first, then the same value serialised again.
 */
const signature: Signature = {
  verify({ headers, raw }, secrets) {
    const presented = [fromHex(headers['x-signature'] ?? '')].filter((entry) => entry !== undefined);
    const signed = presented.length === 0 ? [raw] : firstEvent(raw);
    const version = findSecret({ algorithm: 'sha1', secrets, signed, presented });
    if (version === undefined) return undefined;
    return { strength: 'shared_secret', scheme: 'segment.sha1', secret_version: version };
  },
  fault({ headers }, _settings, nowMs) {
    const value = headers['x-signature'];
    const signatures = fromHex(value ?? '') === undefined ? 0 : 1;
    return signatureFault({ header: 'x-signature', value, form: 'hexadecimal digits', made, signatures }, nowMs);
  },
  sign: (body, secret) => {
    const [first = body] = firstEvent(body);
    return { 'x-signature': createHmac('sha1', secret).update(first).digest('hex') };
  },
};

// What a sender computes, in words.
const made =
  'the HMAC-SHA1 of the raw body (of a batch: of its first event) in hexadecimal digits; the key is the secret of this source';

// Larger bodies are verified only as a whole: parsing before authentication must stay cheap.
const parsedBytes = 512 * 1024;

function firstEvent(raw: Uint8Array): readonly Uint8Array[] {
  if (raw.length > parsedBytes) return [raw];
  const batch = raw[raw.findIndex((byte) => byte > 0x20)] === 0x5b;
  const own = batch ? elementText(raw) : trimmed(raw);
  if (own === undefined) return [raw];
  try {
    return [own, Buffer.from(JSON.stringify(parsePayload(own, 10_000)))];
  } catch {
    return [own];
  }
}

/** Cuts the text of the first element out of an array; undefined beyond 64 levels or when the element does not end. */
function elementText(raw: Uint8Array): Uint8Array | undefined {
  const start = raw.indexOf(0x5b) + 1;
  let depth = 0;
  let quoted = false;
  for (let at = start; at < raw.length; at++) {
    const byte = raw[at];
    if (quoted) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) quoted = false;
    } else if (byte === 0x22) quoted = true;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (depth === 0 && (byte === 0x2c || byte === 0x5d)) return trimmed(raw.subarray(start, at));
    else if (byte === 0x7d || byte === 0x5d) depth--;
    if (depth > 64) return undefined;
  }
  return undefined;
}

function trimmed(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').trim(), 'latin1');
}

/** Segment: analytics events by a webhook destination; usage metrics only. */
export const segment = defineVendor({
  name: 'segment',
  version: 1,
  limits: { bytes: 1024 * 1024, keys: 50_000 },
  schemes: ['signature', 'url'],
  signature,
  deliveryKey: (_, payload) => (isRecord(payload()) ? text(payload(), 'messageId') : undefined),
  normalize({ payload }) {
    if (!Array.isArray(payload) && !isRecord(payload))
      throw new Undecodable('unknown_shape', 'the body is neither an event nor a list of events');
    const events: readonly unknown[] = Array.isArray(payload) ? payload : [payload];
    return events.map(draftOf);
  },
  fixture: (nowMs, id) =>
    jsonFixture(
      [
        {
          messageId: id,
          type: 'track',
          event: 'Test Event',
          userId: 'test-user',
          timestamp: new Date(nowMs).toISOString(),
          properties: {},
        },
      ],
      { 'user-agent': 'Segment.io/1.0' },
    ),
  setup: ({ url, secret }) => ({
    steps: [
      'Connections → Destinations → Webhooks: add the URL as a webhook and the shared secret below.',
      'With batching on, only the first event of a batch is signed; the others count as unverified.',
    ],
    snippets: [snippet('Webhook URL', url), snippet('Shared secret', secret)],
  }),
});

function draftOf(event: unknown, index: number): Draft {
  const kind = text(event, 'type') ?? 'event';
  const name = text(event, 'event') ?? text(event, 'name') ?? kind;
  return {
    ...counted,
    vendor_event_id: text(event, 'messageId'),
    vendor_type: kind,
    occurred_at: time(event, 'timestamp') ?? time(event, 'originalTimestamp'),
    title: name,
    episode_key: `event:${kind}:${name}`,
    ...(index === 0 ? {} : { strength: 'url_token' as const }),
  };
}
