import type { DeliveryState } from '../../../runtime/contract.ts';
import { standardSignature } from '../auth/standard.ts';
import { at, meaning, tableOf, text, time } from '../vendors/read.ts';
import { jsonFixture, snippet } from '../vendors/vendor.ts';
import { defineReports } from './define.ts';
import { keyMember } from './mail.ts';

// resend.com/docs/dashboard/webhooks/event-types
const states = tableOf<DeliveryState>({
  accepted: ['email.scheduled'],
  sent: ['email.sent', 'email.delivery_delayed'],
  delivered: ['email.delivered'],
  undelivered: ['email.bounced'],
  rejected_later: ['email.failed', 'email.suppressed'],
  read: ['email.opened', 'email.clicked'],
});

// The tags are an object, in older events a list of names and values.
function keyOf(body: unknown): string | undefined {
  const tags = at(body, 'data', 'tags');
  if (!Array.isArray(tags)) return text(tags, keyMember);
  return text(
    tags.find((tag) => text(tag, 'name') === keyMember),
    'value',
  );
}

/** Resend: webhooks by Svix, with our key in the tags. */
export const resend = defineReports({
  name: 'resend',
  schemes: ['signature'],
  signature: standardSignature,
  keep: ['svix-id', 'svix-timestamp'],
  deliveryKey: ({ headers }) => headers['svix-id'] ?? headers['webhook-id'],
  read(body) {
    const state = meaning(states, text(body, 'type'));
    if (state === undefined) return [];
    const code = text(body, 'data', 'bounce', 'type');
    return [{ key: keyOf(body), vendor_id: text(body, 'data', 'email_id'), state, at: time(body, 'created_at'), code }];
  },
  fixture: (nowMs, id) =>
    jsonFixture({
      type: 'email.delivered',
      created_at: new Date(nowMs).toISOString(),
      data: { email_id: id, tags: {} },
    }),
  setup: ({ url }) => ({
    steps: [
      'Webhooks → Add webhook: enter the URL; choose delivered, bounced, failed and delivery_delayed.',
      'Set `secret` of the source to the signing secret (whsec_…). `may_name.providers` names the provider.',
    ],
    snippets: [snippet('URL', url)],
  }),
});
