import { createPublicKey, verify as verifyBytes, type KeyObject } from 'node:crypto';
import { given } from '../../../../kernel/index.ts';
import type { DeliveryState } from '../../../runtime/contract.ts';
import { signatureFault } from '../auth/fault.ts';
import { fromBase64, joined, skewWithin } from '../auth/hmac.ts';
import type { Signature } from '../auth/proof.ts';
import { list, meaning, tableOf, text, time } from '../vendors/read.ts';
import { snippet } from '../vendors/vendor.ts';
import { defineReports } from './define.ts';
import { keyMember, recipientPart } from './mail.ts';

const header = 'x-twilio-email-event-webhook-signature';
const timeHeader = 'x-twilio-email-event-webhook-timestamp';
// Retries come for 24 hours, signed again or not.
const toleranceS = 25 * 3600;

// twilio.com/docs/sendgrid/for-developers/tracking-events/event
const states = tableOf<DeliveryState>({
  queued: ['processed'],
  sent: ['deferred'],
  delivered: ['delivered'],
  undelivered: ['bounce'],
  rejected_later: ['dropped'],
  read: ['open', 'click'],
});

function keyOf(secret: string): KeyObject | undefined {
  const der = fromBase64(secret);
  try {
    return der && createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

// twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
const signature: Signature = {
  verify({ headers, raw }, secrets, settings, nowMs) {
    const [mac, seconds] = [fromBase64(headers[header] ?? ''), headers[timeHeader]];
    const skew = skewWithin(seconds, settings.tolerance_s ?? toleranceS, nowMs);
    if (mac === undefined || skew === undefined) return undefined;
    const signed = joined(seconds ?? '', raw);
    const found = secrets.find(({ text: secret }) => {
      const key = keyOf(secret);
      return key !== undefined && verifyBytes('sha256', signed, key, mac);
    });
    const proof = { strength: 'strong', scheme: 'sendgrid.ecdsa', ...given({ clock_skew_ms: skew }) } as const;
    return found === undefined ? undefined : { ...proof, secret_version: found.version };
  },
  fault: ({ headers }, settings, nowMs) =>
    signatureFault(
      {
        ...{ header, value: headers[header], form: 'base64', signatures: fromBase64(headers[header] ?? '') ? 1 : 0 },
        time: { header: timeHeader, value: headers[timeHeader], toleranceS: settings.tolerance_s ?? toleranceS },
        made: `the ECDSA signature of the text of \`${timeHeader}\` and the raw body in base64; the secret of this source is the verification key`,
      },
      nowMs,
    ),
  // The private key is at SendGrid.
  sign: () => undefined,
};

/** SendGrid: the event webhook, signed, with our key in the custom arguments. */
export const sendgrid = defineReports({
  name: 'sendgrid',
  schemes: ['signature', 'url'],
  signature,
  read: (body) =>
    list(body).flatMap((event) => {
      const state = meaning(states, text(event, 'event'));
      if (state === undefined) return [];
      const [key, vendor_id] = [text(event, keyMember), text(event, 'sg_message_id')];
      const part = recipientPart(text(event, 'email'));
      return [{ key, vendor_id, part, state, at: time(event, 'timestamp'), code: text(event, 'status') }];
    }),
  fixture: (nowMs, id) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ event: 'delivered', timestamp: Math.floor(nowMs / 1000), sg_message_id: id }]),
  }),
  setup: ({ url }) => ({
    steps: [
      'Settings → Mail settings → Event webhooks: enter the URL; choose Processed, Deferred, Delivered, Bounced and Dropped; enable Signature verification.',
      'Set `secret` of the source to the verification key. `may_name.providers` names the provider.',
    ],
    snippets: [snippet('Post URL', url)],
  }),
});
