import { defineProvider, exactly, optional, ProviderError } from '../../kernel/adapter.ts';
import { email } from './contract.ts';
import { openClient } from '../vendor/http/client.ts';
import { keyMember, mediaType, unlessEmpty } from './http/fields.ts';
import { jsonBody, member, textMember } from '../vendor/http/json.ts';
import { accepted, rejection, succeeded, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import type { Mailbox } from './message/address.ts';
import { message, type Message } from './message/message.ts';

const config = exactly({
  api_key: secretText('API key with the scope mail.send'),
  base_url: optional({
    ...baseUrl('https://api.sendgrid.com'),
    description: 'For subusers in the EU region: https://api.eu.sendgrid.com.',
  }),
  ...transportSettings,
});

const sendgrid: Vendor = {
  title: 'SendGrid',
  credentials: '`api_key`',
  // SendGrid's errors have no code; `field` names a part of the request.
  code({ body }) {
    const errors = member(body, 'errors');
    return Array.isArray(errors) ? textMember(errors[0], 'field') : undefined;
  },
  // Documented with 400: the field `email` of a person does not contain a valid address.
  outcome({ status }, field = '') {
    if (status !== 400) return undefined;
    if (field === 'from.email') return rejection('sender_refused');
    return /^personalizations\.\d+\.(?:to|b?cc)\.\d+\.email$/u.test(field) ? rejection('recipient_unknown') : undefined;
  },
  resetHeader: 'x-ratelimit-reset',
};

/**
 * Sends e-mails with SendGrid's v3 API. SendGrid has no idempotency keys: a call whose answer is lost stays unknown.
 * An address that occurs twice in to, cc and bcc is sent only in the first list, as SendGrid requires.
 */
export default defineProvider({
  name: 'sendgrid',
  capability: email,
  about: 'Sends e-mail with SendGrid.',
  config,
  async open({ config: { api_key, ...settings } }) {
    const client = await openClient(settings);
    const authorization = `Bearer ${api_key}`;
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const custom_args = { [keyMember]: idempotency_key };
        const body = jsonBody({ ...payload(message(inputs, idempotency_key)), custom_args });
        const headers = { authorization, 'content-type': 'application/json' };
        const answer = await client.call({ method: 'POST', path: '/v3/mail/send', headers, body }, signal);
        return { message_id: accepted(sendgrid, answer, answer.headers['x-message-id']) };
      },
      async probe(signal) {
        const headers = { authorization, accept: 'application/json' };
        const answer = await client.call({ method: 'GET', path: '/v3/scopes', headers }, signal);
        succeeded(sendgrid, answer);
        const scopes = member(answer.body, 'scopes');
        if (!Array.isArray(scopes) || !scopes.includes('mail.send'))
          throw new ProviderError('provider_fault', 'the SendGrid API key lacks the scope mail.send');
      },
      close: () => client.close(),
    };
  },
});

// twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
function payload(mail: Message): object {
  const [to = [], cc = [], bcc = []] = once([mail.to, mail.cc, mail.bcc]);
  const [reply_to = []] = once([mail.reply_to]);
  return {
    personalizations: [{ to: to.map(person), ...unlessEmpty('cc', cc, person), ...unlessEmpty('bcc', bcc, person) }],
    from: person(mail.from),
    ...(reply_to.length === 1 ? { reply_to: reply_to.map(person)[0] } : {}),
    ...(reply_to.length > 1 ? { reply_to_list: reply_to.map(person) } : {}),
    subject: mail.subject,
    content: [
      { type: 'text/plain', value: mail.body },
      { type: 'text/html', value: mail.html ?? '' },
      // SendGrid requires at least one character per part.
    ].filter(({ value }) => value !== ''),
    ...unlessEmpty('attachments', mail.attachments, (attachment) => ({
      content: attachment.content.toString('base64'),
      type: mediaType(attachment),
      filename: attachment.filename,
      disposition: 'attachment',
    })),
  };
}

function person({ name, address }: Mailbox): object {
  return { email: address, ...(name === '' ? {} : { name }) };
}

/** Keeps each address only in the first list that holds it; compares addresses without case. */
function once(lists: readonly (readonly Mailbox[])[]): readonly (readonly Mailbox[])[] {
  const seen = new Set<string>();
  return lists.map((list) => list.filter(({ address }) => seen.size < seen.add(address.toLowerCase()).size));
}
