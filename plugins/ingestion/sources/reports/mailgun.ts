import type { DeliveryState } from '../../../runtime/contract.ts';
import { findSecret, fromHex, skewWithin } from '../auth/hmac.ts';
import type { Signature } from '../auth/proof.ts';
import { parsePayload } from '../payload/parse.ts';
import { isRecord, meaning, tableOf, text, time } from '../vendors/read.ts';
import { jsonFixture, snippet } from '../vendors/vendor.ts';
import { defineReports } from './define.ts';
import { keyMember, recipientPart } from './mail.ts';

const keys = 10_000;
// Retries come for 8 hours.
const toleranceS = 12 * 3600;

// documentation.mailgun.com/docs/mailgun/user-manual/events/webhooks
const states = tableOf<DeliveryState>({
  accepted: ['accepted'],
  delivered: ['delivered'],
  rejected_later: ['rejected'],
  read: ['opened', 'clicked'],
});

function parsed(raw: Uint8Array): unknown {
  try {
    return parsePayload(raw, keys);
  } catch {
    return undefined;
  }
}

// documentation.mailgun.com, "Securing webhooks": the signature is in the body, over its time and token.
const signature: Signature = {
  verify({ raw }, secrets, settings, nowMs) {
    const body = parsed(raw);
    const [seconds = '', token = '', mac = ''] = ['timestamp', 'token', 'signature'].map((name) =>
      text(body, 'signature', name),
    );
    const presented = [fromHex(mac)].filter((one) => one !== undefined);
    const version = findSecret({ algorithm: 'sha256', secrets, signed: [Buffer.from(seconds + token)], presented });
    const skew = skewWithin(seconds, settings.tolerance_s ?? toleranceS, nowMs);
    if (version === undefined || skew === undefined) return undefined;
    // It does not cover the event.
    return { strength: 'shared_secret', scheme: 'mailgun.sha256', secret_version: version, clock_skew_ms: skew };
  },
  fault: () =>
    'this source expects `signature` in the body with `timestamp`, `token` and `signature`: the HMAC-SHA256 of both texts in hexadecimal digits; the key is the webhook signing key of the account',
  // It is a part of the body.
  sign: () => undefined,
};

/** Mailgun: webhooks of a domain, with our key in the user variables. */
export const mailgun = defineReports({
  name: 'mailgun',
  limits: { bytes: 256 * 1024, keys },
  schemes: ['signature', 'basic', 'url'],
  signature,
  // The signature covers only the token: with it, another body is no new delivery.
  deliveryKey: (_arrival, payload) => text(payload(), 'signature', 'token'),
  read(body) {
    const event = isRecord(body) ? body['event-data'] : undefined;
    const name = text(event, 'event');
    const failed = text(event, 'severity') === 'temporary' ? 'sent' : 'undelivered';
    const state = name === 'failed' ? failed : meaning(states, name);
    if (state === undefined) return [];
    return [
      {
        key: text(event, 'user-variables', keyMember),
        vendor_id: text(event, 'message', 'headers', 'message-id'),
        part: recipientPart(text(event, 'recipient')),
        ...{ state, at: time(event, 'timestamp'), code: text(event, 'delivery-status', 'code') },
      },
    ];
  },
  fixture: (nowMs, id) =>
    jsonFixture({ signature: {}, 'event-data': { event: 'delivered', timestamp: nowMs / 1000, id } }),
  setup: ({ url }) => ({
    steps: [
      'Sending → Webhooks: enter the URL for Delivered, Permanent failure and Temporary failure.',
      'Set `secret` of the source to the webhook signing key. `may_name.providers` names the provider.',
    ],
    snippets: [snippet('URL', url)],
  }),
});
