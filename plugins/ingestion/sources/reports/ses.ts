import type { DeliveryState } from '../../../runtime/contract.ts';
import { isRecord, list, meaning, tableOf, text, time } from '../vendors/read.ts';
import { jsonFixture, snippet } from '../vendors/vendor.ts';
import { defineReports } from './define.ts';
import { keyMember, recipientPart } from './mail.ts';

// docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
const states = tableOf<DeliveryState>({
  accepted: ['Send'],
  sent: ['DeliveryDelay'],
  delivered: ['Delivery'],
  undelivered: ['Bounce'],
  rejected_later: ['Reject', 'Rendering Failure'],
  read: ['Open', 'Click'],
});

// Where each event has its time and its recipients.
const places = {
  Delivery: ['delivery', 'recipients'],
  Bounce: ['bounce', 'bouncedRecipients'],
  DeliveryDelay: ['deliveryDelay', 'delayedRecipients'],
} as const;

/** Amazon SES: events by EventBridge to an API destination, with our key in the tags of the message. */
export const ses = defineReports({
  name: 'ses',
  schemes: ['header', 'basic', 'url'],
  deliveryKey: (_arrival, payload) => text(payload(), 'id'),
  read(body) {
    const event = isRecord(body) ? body['detail'] : undefined;
    const type = text(event, 'eventType');
    const state = meaning(states, type);
    if (state === undefined) return [];
    const [member, recipients] = (type !== undefined && meaning(places, type)) || ['mail', ''];
    const report = {
      key: text(event, 'mail', 'tags', keyMember, 0),
      vendor_id: text(event, 'mail', 'messageId'),
      ...{ state, at: time(event, member, 'timestamp') ?? time(body, 'time') },
      code: text(event, 'bounce', 'bounceSubType'),
    };
    const named = list(event, member, recipients).map((one) => text(one) ?? text(one, 'emailAddress'));
    return named.length === 0 ? [report] : named.map((one) => ({ ...report, part: recipientPart(one) }));
  },
  fixture: (nowMs, id) =>
    jsonFixture({
      ...{ id, 'detail-type': 'Email Delivered', source: 'aws.ses', time: new Date(nowMs).toISOString() },
      detail: { eventType: 'Delivery', mail: { messageId: id, tags: {} }, delivery: { recipients: [] } },
    }),
  setup: ({ url, secret, auth }) => ({
    steps: [
      'SES → Configuration sets: add an event destination for EventBridge; set `configuration_set` of the provider.',
      'EventBridge → API destinations: enter the URL, with a connection that has the API key below; then a rule for the source aws.ses.',
      '`may_name.providers` of the source names the provider.',
    ],
    snippets: [snippet('URL', url), snippet('API key name and value', `${auth.header ?? 'x-orb-token'}\n${secret}`)],
  }),
});
