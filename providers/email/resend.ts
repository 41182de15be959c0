import { defineProvider, exactly, optional } from '../../kernel/adapter.ts';
import { email } from './contract.ts';
import { openClient } from '../vendor/http/client.ts';
import { keyMember, mailboxText, mediaType, unlessEmpty } from './http/fields.ts';
import { jsonBody, textMember } from '../vendor/http/json.ts';
import { accepted, isSuccess, refusal, rejection, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { message, type Message } from './message/message.ts';

const config = exactly({
  api_key: secretText('API key (a key that may only send is sufficient)'),
  base_url: optional(baseUrl('https://api.resend.com')),
  ...transportSettings,
});

// resend.com/docs/api-reference/errors
const quotas: readonly (string | undefined)[] = ['daily_quota_exceeded', 'monthly_quota_exceeded'];

const resend: Vendor = {
  title: 'Resend',
  credentials: '`api_key`',
  code: ({ body }) => textMember(body, 'name'),
  outcome({ status, body }, code) {
    // Another request used this key and may have been accepted, so the outcome is unknown.
    if (status === 409) return 'unknown';
    if (quotas.includes(code)) return 'provider_fault';
    if (code === 'security_error') return 'rejected';
    if (code === 'invalid_from_address') return rejection('sender_refused');
    // Resend answers an invalid API key with 400, like an invalid request.
    if (status === 400 && textMember(body, 'message') === 'API key is invalid') return 'provider_fault';
    return undefined;
  },
  resetHeader: 'ratelimit-reset',
};

/**
 * Sends e-mails with Resend's API and our idempotency key: a repeated call within a day returns the first id and sends
 * nothing.
 */
export default defineProvider({
  name: 'resend',
  capability: email,
  about: 'Sends e-mail with Resend.',
  config,
  idempotency: { kind: 'native', window_s: 86400, max_len: 256 },
  async open({ config: { api_key, ...settings } }) {
    const client = await openClient(settings);
    const authorization = `Bearer ${api_key}`;
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const tags = [{ name: keyMember, value: idempotency_key }];
        const body = jsonBody({ ...payload(message(inputs, idempotency_key)), tags });
        const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': idempotency_key };
        const answer = await client.call({ method: 'POST', path: '/emails', headers, body }, signal);
        return { message_id: accepted(resend, answer, textMember(answer.body, 'id')) };
      },
      async probe(signal) {
        const answer = await client.call({ method: 'GET', path: '/domains', headers: { authorization } }, signal);
        // Resend answers restricted_api_key only for a valid key that may only send.
        const sendingOnly = answer.status === 401 && textMember(answer.body, 'name') === 'restricted_api_key';
        if (!sendingOnly && !isSuccess(answer)) throw refusal(resend, answer);
      },
      close: () => client.close(),
    };
  },
});

// resend.com/docs/api-reference/emails/send-email
function payload(mail: Message): object {
  return {
    from: mailboxText(mail.from),
    to: mail.to.map(mailboxText),
    ...unlessEmpty('cc', mail.cc, mailboxText),
    ...unlessEmpty('bcc', mail.bcc, mailboxText),
    ...unlessEmpty('reply_to', mail.reply_to, mailboxText),
    subject: mail.subject,
    text: mail.body,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    ...unlessEmpty('attachments', mail.attachments, (attachment) => ({
      filename: attachment.filename,
      content: attachment.content.toString('base64'),
      content_type: mediaType(attachment),
    })),
  };
}
