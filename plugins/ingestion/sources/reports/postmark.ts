import type { DeliveryState } from '../../../runtime/contract.ts';
import { meaning, text, time } from '../vendors/read.ts';
import { jsonFixture, snippet } from '../vendors/vendor.ts';
import { defineReports } from './define.ts';
import { keyMember, recipientPart } from './mail.ts';

// postmarkapp.com/developer/webhooks/webhooks-overview
const records: Readonly<Record<string, DeliveryState>> = { Delivery: 'delivered', Bounce: 'undelivered', Open: 'read' };

// postmarkapp.com/developer/api/bounce-api#bounce-types: these end no message.
const passing = new Set(['Transient', 'Subscribe', 'Unsubscribe', 'AutoResponder', 'AddressChange', 'OpenRelayTest']);

/** Postmark: webhooks of a message stream, with our key in `Metadata`; Postmark signs nothing, a secret proves them. */
export const postmark = defineReports({
  name: 'postmark',
  schemes: ['basic', 'header', 'url'],
  read(body) {
    const state = meaning(records, text(body, 'RecordType'));
    const type = text(body, 'Type');
    if (state === undefined || (state === 'undelivered' && passing.has(type ?? ''))) return [];
    const at = time(body, 'DeliveredAt') ?? time(body, 'BouncedAt') ?? time(body, 'ReceivedAt');
    const part = recipientPart(text(body, 'Recipient') ?? text(body, 'Email'));
    const [key, vendor_id] = [text(body, 'Metadata', keyMember), text(body, 'MessageID')];
    return [{ key, vendor_id, part, state, at, code: state === 'undelivered' ? type : undefined }];
  },
  fixture: (nowMs, id) =>
    jsonFixture({
      ...{ RecordType: 'Delivery', MessageID: id, Recipient: 'john@example.com', Metadata: {} },
      DeliveredAt: new Date(nowMs).toISOString(),
    }),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'Server → Message stream → Webhooks → Add webhook: enter the URL, with Basic auth credentials; choose Delivery and Bounce.',
      '`may_name.providers` of the source names the provider.',
    ],
    snippets: [snippet('URL', url), snippet('User and password', `${auth.username ?? 'orb'}\n${secret}`)],
  }),
});
