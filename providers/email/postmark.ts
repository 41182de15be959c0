import { defineProvider, exactly, optional, type RejectedReason } from '../../kernel/adapter.ts';
import { email } from './contract.ts';
import { openClient, type Answer } from '../vendor/http/client.ts';
import { keyMember, mailboxList, mailboxText, mediaType, unlessEmpty } from './http/fields.ts';
import { jsonBody, member, textMember } from '../vendor/http/json.ts';
import { accepted, rejection, succeeded, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { message, type Message } from './message/message.ts';

const config = exactly({
  server_token: secretText('Server API token'),
  message_stream: optional({
    type: 'string',
    title: 'Message stream',
    pattern: '^[a-z0-9_-]+$',
    maxLength: 64,
    default: 'outbound',
  }),
  base_url: optional(baseUrl('https://api.postmarkapp.com')),
  ...transportSettings,
});

// postmarkapp.com/developer/api/overview#error-codes: token, sender signature not found or not confirmed, credits,
// account pending, account may not send, no such message stream.
const accountErrors: readonly string[] = ['10', '400', '401', '405', '412', '413', '1235'];

// The same page: an inactive recipient (hard bounce, spam complaint or manual suppression), a forbidden attachment.
const reasons: Readonly<Record<string, RejectedReason>> = { 406: 'recipient_blocked', 411: 'content_refused' };

// The text continues with the recipients that a bounce or a complaint made inactive.
const partly = 'Message OK, but will not deliver to';

const postmark: Vendor = {
  title: 'Postmark',
  credentials: '`server_token`',
  code: (answer) => errorCode(answer)?.toString(),
  outcome(_answer, code = '') {
    return accountErrors.includes(code) ? 'provider_fault' : rejection(reasons[code]);
  },
};

/** Sends e-mails with Postmark's API. Postmark has no idempotency keys: a call whose answer is lost stays unknown. */
export default defineProvider({
  name: 'postmark',
  capability: email,
  about: 'Sends e-mail with Postmark.',
  config,
  async open({ config: { server_token, message_stream, ...settings } }) {
    const client = await openClient(settings);
    const headers = { accept: 'application/json', 'x-postmark-server-token': server_token };
    return {
      async execute(inputs, { signal, idempotency_key, log }) {
        const mail = payload(message(inputs, idempotency_key));
        const body = jsonBody({ ...mail, MessageStream: message_stream, Metadata: { [keyMember]: idempotency_key } });
        const posted = { ...headers, 'content-type': 'application/json' };
        const answer = await client.call({ method: 'POST', path: '/email', headers: posted, body }, signal);
        const id = errorCode(answer) === 0 ? textMember(answer.body, 'MessageID') : undefined;
        const message_id = accepted(postmark, answer, id);
        if (textMember(answer.body, 'Message')?.startsWith(partly))
          log.warn({ message_id }, 'Postmark did not send to inactive recipients');
        return { message_id };
      },
      async probe(signal) {
        succeeded(postmark, await client.call({ method: 'GET', path: '/server', headers }, signal));
      },
      close: () => client.close(),
    };
  },
});

function errorCode({ body }: Answer): number | undefined {
  const code = member(body, 'ErrorCode');
  return typeof code === 'number' ? code : undefined;
}

// postmarkapp.com/developer/api/email-api
function payload(mail: Message): object {
  return {
    From: mailboxText(mail.from),
    To: mailboxList(mail.to),
    ...(mail.cc.length === 0 ? {} : { Cc: mailboxList(mail.cc) }),
    ...(mail.bcc.length === 0 ? {} : { Bcc: mailboxList(mail.bcc) }),
    ...(mail.reply_to.length === 0 ? {} : { ReplyTo: mailboxList(mail.reply_to) }),
    Subject: mail.subject,
    TextBody: mail.body,
    ...(mail.html === undefined ? {} : { HtmlBody: mail.html }),
    ...unlessEmpty('Attachments', mail.attachments, (attachment) => ({
      Name: attachment.filename,
      Content: attachment.content.toString('base64'),
      ContentType: mediaType(attachment),
    })),
  };
}
