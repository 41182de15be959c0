import { defineProvider, exactly, optional, ProviderError } from '../../kernel/adapter.ts';
import { email } from './contract.ts';
import { openClient, type Answer, type Call, type Client } from '../vendor/http/client.ts';
import { keyMember, mailboxList, mailboxText, mediaType } from './http/fields.ts';
import { member, textMember } from '../vendor/http/json.ts';
import { accepted, refusal, succeeded, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { message, type Message } from './message/message.ts';

const config = exactly({
  api_key: secretText('API key (a sending key of the domain is sufficient)'),
  domain: {
    type: 'string',
    title: 'Sending domain',
    description: 'The domain that is registered at Mailgun, for example mg.example.com.',
    pattern: '^[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+$',
    maxLength: 253,
  },
  base_url: optional({
    ...baseUrl('https://api.mailgun.net'),
    description: 'For domains in the EU region: https://api.eu.mailgun.net.',
  }),
  ...transportSettings,
});

const remedy = 'enable the domain at Mailgun, or set `domain` to another one';

// No `code`: Mailgun's errors have only a text, which may name people.
const mailgun: Vendor = { title: 'Mailgun', credentials: '`api_key` and `domain`' };

/** Sends e-mails with Mailgun's API. Mailgun has no idempotency keys: a call whose answer is lost stays unknown. */
export default defineProvider({
  name: 'mailgun',
  capability: email,
  about: 'Sends e-mail with Mailgun.',
  config,
  async open({ config: { api_key, domain, ...settings } }) {
    const client = await openClient(settings);
    const authorization = `Basic ${Buffer.from(`api:${api_key}`).toString('base64')}`;
    const post = async (form: FormData): Promise<Call> => {
      const { type, body } = await encode(form);
      const headers = { authorization, 'content-type': type };
      return { method: 'POST', path: `/v3/${domain}/messages`, headers, body };
    };
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const form = payload(message(inputs, idempotency_key));
        form.append(`v:${keyMember}`, idempotency_key);
        const answer = await client.call(await post(form), signal);
        return { message_id: accepted(mailgun, answer, textMember(answer.body, 'id')) };
      },
      async probe(signal) {
        const path = `/v4/domains/${domain}`;
        const answer = await client.call({ method: 'GET', path, headers: { authorization } }, signal);
        if (answer.status === 401 || answer.status === 403)
          return probeSendingKey(client, await post(nothing()), signal);
        succeeded(mailgun, answer);
        if (isDisabled(answer))
          throw new ProviderError('provider_fault', 'the domain is disabled at Mailgun', { remedy });
      },
      close: () => client.close(),
    };
  },
});

/**
 * Probes with a sending key, which may read nothing: posts a message without sender and recipients, which cannot be
 * sent. A valid key gets 400 because they are missing; an invalid key is refused.
 */
async function probeSendingKey(client: Client, incomplete: Call, signal: AbortSignal): Promise<void> {
  const answer = await client.call(incomplete, signal);
  if (answer.status !== 400) throw refusal(mailgun, answer);
}

function nothing(): FormData {
  const form = new FormData();
  form.append('o:testmode', 'yes');
  return form;
}

function isDisabled({ body }: Answer): boolean {
  const found = member(body, 'domain');
  return member(found, 'is_disabled') === true || member(found, 'state') === 'disabled';
}

// documentation.mailgun.com, Messages: POST /v3/{domain_name}/messages
function payload(mail: Message): FormData {
  const form = new FormData();
  form.append('from', mailboxText(mail.from));
  form.append('to', mailboxList(mail.to));
  if (mail.cc.length > 0) form.append('cc', mailboxList(mail.cc));
  if (mail.bcc.length > 0) form.append('bcc', mailboxList(mail.bcc));
  if (mail.reply_to.length > 0) form.append('h:Reply-To', mailboxList(mail.reply_to));
  form.append('subject', mail.subject);
  form.append('text', mail.body);
  if (mail.html !== undefined) form.append('html', mail.html);
  for (const attachment of mail.attachments) {
    const content = new Blob([new Uint8Array(attachment.content)], { type: mediaType(attachment) });
    form.append('attachment', content, attachment.filename);
  }
  return form;
}

// Response serves only as the runtime's encoder of multipart/form-data; nothing is sent.
async function encode(form: FormData): Promise<{ type: string; body: Buffer }> {
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type') ?? '', body: Buffer.from(await encoded.arrayBuffer()) };
}
