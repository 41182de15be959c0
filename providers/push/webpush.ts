import { defineProvider, exactly, optional, ProviderError } from '../../kernel/adapter.ts';
import { parseTarget } from '../../kernel/outbound.ts';
import { openHosts } from '../vendor/http/client.ts';
import { jsonBody } from '../vendor/http/json.ts';
import { transportSettings } from '../vendor/http/settings.ts';
import { push } from './contract.ts';
import { fitted, outputsOf, type Fitted } from './message/fit.ts';
import { pushMessage, tooLong, unserved, type PushMessage, type Recipient } from './message/message.ts';
import { encrypted } from './webpush/encryption.ts';
import { idOf, pushHosts, servicesOf } from './webpush/service.ts';
import { authorizer, isPair } from './webpush/vapid.ts';

const config = exactly({
  public_key: {
    type: 'string',
    title: 'Public VAPID key',
    description: 'In base64url. Pages subscribe with it; another key cannot send to their subscriptions.',
    pattern: '^B[A-Za-z0-9_-]{86}$',
  },
  private_key: {
    type: 'string',
    title: 'Private VAPID key',
    description: 'In base64url.',
    pattern: '^[A-Za-z0-9_-]{43}$',
    secret: true,
  },
  subject: {
    type: 'string',
    title: 'Contact for the push services',
    description: 'A `mailto:` or `https:` address at which the operators of push services reach you.',
    pattern: '^(?:mailto:[!-?A-~]+@[!-?A-~]+|https://[!-~]+)$',
    maxLength: 512,
  },
  push_hosts: optional(pushHosts),
  ...transportSettings,
});

// RFC 8291 §4: services take bodies of 4,096 bytes, and the encryption adds 103.
const mostBytes = 3993;
const name = 'Web Push';

/**
 * Sends messages to browsers (RFC 8030), encrypted (RFC 8291) and signed (RFC 8292). Our key is the topic unless the
 * caller names one, so a repeated message replaces the first one while it waits, and on the page after that; that is no
 * idempotency, so an unknown call is not repeated.
 */
export default defineProvider({
  name: 'webpush',
  capability: push,
  about: 'Sends push messages to browsers.',
  config,
  warningsOf: (settings) => [
    ...(isPair(settings) ? [] : [notPair]),
    ...(/^mailto:.*@localhost$/u.test(settings.subject) ? [localSubject] : []),
  ],
  async open({ config: { private_key, public_key, push_hosts, subject, ...settings } }) {
    const keys = { private_key, public_key };
    if (!isPair(keys)) throw new ProviderError('provider_fault', notPair, { phase: 'open', remedy });
    const services = servicesOf(push_hosts);
    const authorization = authorizer(keys, subject);
    const client = await openHosts(settings, { allow: services, named: 'the endpoint of the subscription' });
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const message = pushMessage(inputs);
        const { to, ttl_s, urgency } = message;
        if (to.kind !== 'subscription') throw unserved(name, '`subscription`');
        const target = parseTarget(to.endpoint);
        services.admit(target, 'POST');
        // RFC 8030 §5.4: at most 32 characters.
        const topic = message.collapse ?? idempotency_key.slice(0, 32);
        const { bytes, truncated } = payload(message, topic);
        const headers = {
          ...{ 'content-encoding': 'aes128gcm', 'content-type': 'application/octet-stream' },
          ...{ authorization: authorization(target.origin), ttl: String(ttl_s), urgency, topic },
        };
        const { origin, path } = target;
        const answer = await client.call({ origin, path, method: 'POST', headers, body: sealedFor(to, bytes) }, signal);
        return outputsOf(idOf(answer, topic), { truncated });
      },
      close: () => client.close(),
    };
  },
});

const notPair = '`public_key` does not belong to `private_key`: subscriptions made with another key cannot be served';
const remedy = 'set `public_key` and `private_key` to the pair with which the pages subscribe';
const localSubject = '`subject` names localhost: Apple refuses all messages with it';

// The form that the service worker of the guide shows.
function payload(message: PushMessage, tag: string): Fitted {
  const { data, title, url } = message;
  const encode = (body: string): Buffer => jsonBody({ title, body, url, data, tag });
  return fitted(message, encode, { most: mostBytes, refusal: () => tooLong(name, mostBytes) });
}

function sealedFor(to: Extract<Recipient, { kind: 'subscription' }>, bytes: Buffer): Buffer {
  try {
    return encrypted(bytes, to);
  } catch {
    // The cause would show the key.
    const text = 'to.subscription.keys.p256dh is no public key of P-256';
    throw new ProviderError('rejected', text, { phase: 'inputs', reason: 'recipient_unknown' });
  }
}
