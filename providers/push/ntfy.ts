import { defineProvider, exactly, given, optional, type RejectedReason } from '../../kernel/adapter.ts';
import { openClient } from '../vendor/http/client.ts';
import { jsonBody, member, textMember } from '../vendor/http/json.ts';
import { accepted, succeeded, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { push } from './contract.ts';
import { fitted, outputsOf } from './message/fit.ts';
import { pushMessage, tooLong, unserved } from './message/message.ts';

const config = exactly({
  base_url: optional(baseUrl('https://ntfy.sh')),
  token: optional(secretText('Access token')),
  login: optional(
    exactly('Login', {
      user: { type: 'string', title: 'User name', minLength: 1, maxLength: 512, pattern: '^[^:\\u0000-\\u001f]+$' },
      password: { type: 'string', title: 'Password', minLength: 1, maxLength: 4096, secret: true },
    }),
  ),
  ...transportSettings,
});

// docs.ntfy.sh/publish/#limitations, and the error codes of the server (github.com/binwiederhier/ntfy, server/errors.go)
const reasons: Readonly<Partial<Record<string, RejectedReason>>> = {
  '40009': 'recipient_unknown',
  '40010': 'recipient_unknown',
  '40057': 'content_too_long',
  '41301': 'content_too_long',
  '41303': 'content_too_long',
  // A topic of UnifiedPush without a subscriber: the one answer of ntfy with 5xx that proves a refusal.
  '50701': 'recipient_unknown',
};

const ntfy: Vendor = {
  title: 'ntfy',
  credentials: '`token` or `login`',
  code: ({ body }) => (typeof member(body, 'code') === 'number' ? String(member(body, 'code')) : undefined),
  outcome({ status }, code) {
    const reason = status === 413 ? 'content_too_long' : reasons[code ?? ''];
    return reason === undefined ? undefined : { outcome: 'rejected', reason };
  },
};

// A longer message would become an attachment.
const mostBytes = 4096;

const priorities = { 'very-low': 1, low: 2, normal: 3, high: 4 } as const;

/**
 * Publishes messages to topics of an ntfy server. Our key is the id of the sequence unless the caller names one, so a
 * repeated message updates the first one on the device; that is no idempotency, so an unknown call is not repeated.
 */
export default defineProvider({
  name: 'ntfy',
  capability: push,
  about: 'Sends push messages to topics of ntfy.',
  config,
  warningsOf: ({ login, token }) =>
    login !== undefined && token !== undefined ? ['`token` is used, `login` is ignored: remove one of them'] : [],
  async open({ config: { login, token, ...settings } }) {
    const client = await openClient(settings);
    const basic = login && `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
    const authorization = token === undefined ? basic : `Bearer ${token}`;
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const message = pushMessage(inputs);
        const { to, title, url } = message;
        // docs.ntfy.sh/publish/: topics have at most 64 of these characters.
        if (to.kind !== 'topic' || !/^[-_A-Za-z0-9]{1,64}$/u.test(to.name))
          throw unserved('ntfy', '`topic` of at most 64 letters, digits, - and _');
        const refusal = () => tooLong('ntfy', mostBytes);
        const { bytes, truncated } = fitted(message, (body) => Buffer.from(body), { most: mostBytes, refusal });
        // docs.ntfy.sh/publish/#publish-as-json, #updating-notifications
        const body = jsonBody({
          ...{ topic: to.name, title, message: bytes.toString('utf8') },
          ...{ priority: priorities[message.urgency], sequence_id: message.collapse ?? idempotency_key },
          ...given({ click: url }),
        });
        const call = {
          method: 'POST',
          path: '/',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        } as const;
        const answer = await client.call(call, signal);
        return outputsOf(accepted(ntfy, answer, textMember(answer.body, 'id')), { truncated });
      },
      async probe(signal) {
        succeeded(ntfy, await client.call({ method: 'GET', path: '/v1/account', headers }, signal));
      },
      close: () => client.close(),
    };
  },
});
