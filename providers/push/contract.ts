import { defineCapability } from '../../kernel/adapter.ts';
import { parsedPush } from './message/message.ts';

/** The capability of notify.push: sends one push message to one recipient. */
export const push = defineCapability({
  name: 'push',
  title: 'Send push messages',
  inputs: {
    to: 'The recipient: exactly one of `subscription`, `token`, `topic` and `user`. Each adapter says which of them it serves',
    'to.subscription': 'Subscription of a browser, as `JSON.stringify(subscription)` writes it',
    'to.subscription.endpoint': 'Address of the subscription at its push service. Treat it like a password',
    'to.subscription.expirationTime': 'When the subscription ends; ignored',
    'to.subscription.keys': 'The keys with which the message is encrypted',
    'to.subscription.keys.p256dh': 'Public key of the browser, in base64url',
    'to.subscription.keys.auth': 'Secret that the browser shares, in base64url',
    'to.token': 'Token of a device',
    'to.topic': 'Name of a topic to which devices are subscribed',
    'to.user': 'Alias or key of a user',
    title: 'Title, one line',
    body: 'The message as plain text',
    url: 'Page that opens when the message is tapped, with https',
    data: 'Texts for the app that receives the message, at most 2 KiB as JSON',
    urgency: 'very-low, low, normal (the default) or high: how soon a device that saves power gets the message',
    ttl_s: 'Seconds for which the message is kept for a device that is not connected, 86400 by default. 0: only now',
    collapse: 'A message with the same text here replaces an earlier one that has not arrived yet',
    overflow: 'reject (the default) or truncate: what happens to a body that is too long for the service',
  },
  parse: (inputs) => ({ ...parsedPush(inputs) }),
  sample: { orb: 'notify.push', asks: ['to'], inputs: (text) => ({ title: 'Test message', body: text }) },
});
