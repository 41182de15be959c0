import { defineProvider, exactly, given, optional } from '../../kernel/adapter.ts';
import { member, textMember } from '../vendor/http/json.ts';
import { openClient, type Answer, type Call } from '../vendor/http/client.ts';
import { accepted, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { sms } from './contract.ts';
import { message, type Message } from './message/message.ts';
import { outcomeByCode } from './vendor/codes.ts';
import { expectRejection } from './vendor/rejection.ts';
import { senderOf, senders } from './vendor/senders.ts';
import { twilioCodes } from './vendor/tables.ts';

const config = exactly({
  account_sid: { type: 'string', title: 'Account SID', pattern: '^AC[0-9a-f]{32}$' },
  key_sid: {
    type: 'string',
    title: 'SID of the API key',
    description:
      'A restricted key that may create messages is sufficient. The account SID with its auth token works too.',
    pattern: '^(?:SK|AC)[0-9a-f]{32}$',
  },
  key_secret: secretText('Secret of the API key'),
  senders,
  base_url: optional({
    ...baseUrl('https://api.twilio.com'),
    description: 'For accounts in another region, such as https://api.dublin.ie1.twilio.com.',
  }),
  ...transportSettings,
});

const twilio: Vendor = {
  title: 'Twilio',
  credentials: '`account_sid`, `key_sid` and `key_secret`',
  code: ({ body }) => numberMember(body, 'code')?.toString(),
  outcome: outcomeByCode(twilioCodes),
};

// twilio.com/docs/messaging/api/message-resource#message-status-values; all others are the end of a failed message.
const statuses: Readonly<Record<string, string>> = {
  ...{ accepted: 'accepted', scheduled: 'accepted', queued: 'queued', sending: 'queued', sent: 'sent' },
  delivered: 'sent',
};

/** Sends text messages with Twilio's API. Twilio has no idempotency keys: a call whose answer is lost stays unknown. */
export default defineProvider({
  name: 'twilio',
  capability: sms,
  about: 'Sends text messages with Twilio.',
  config,
  async open({ config: { account_sid, key_sid, key_secret, senders: configured, ...settings } }) {
    const client = await openClient(settings);
    const authorization = `Basic ${Buffer.from(`${key_sid}:${key_secret}`).toString('base64')}`;
    const post = (form: Readonly<Record<string, string>>): Call => ({
      method: 'POST',
      path: `/2010-04-01/Accounts/${account_sid}/Messages.json`,
      headers: { authorization, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(new URLSearchParams(form).toString()),
    });
    return {
      async execute(inputs, { signal, report_url }) {
        const text = message(inputs);
        const form = fields(text, senderOf(configured, text.from), report_url);
        const answer = await client.call(post(form), signal);
        const status = statuses[textMember(answer.body, 'status') ?? ''];
        const message_id = accepted(twilio, answer, status && textMember(answer.body, 'sid'));
        const { segments, encoding } = text;
        return given({ message_id, status, segments, encoding, vendor_segments: segmentsIn(answer) });
      },
      // A message without a recipient.
      async probe(signal) {
        expectRejection(twilio, await client.call(post({ Body: 'probe' }), signal));
      },
      close: () => client.close(),
    };
  },
});

// twilio.com/docs/messaging/api/message-resource#create-a-message. What Twilio would change in the text is switched
// off: the receipt commits to the text of the caller.
function fields({ to, text, valid_for_s }: Message, from: string, report_url?: string): Record<string, string> {
  return given({
    To: to,
    ...(/^MG[0-9a-f]{32}$/u.test(from) ? { MessagingServiceSid: from } : { From: from }),
    ...{ Body: text, SmartEncoded: 'false', ShortenUrls: 'false', StatusCallback: report_url },
    ValidityPeriod: valid_for_s?.toString(),
  });
}

function segmentsIn({ body }: Answer): number | undefined {
  const text = textMember(body, 'num_segments') ?? '';
  return /^\d{1,2}$/u.test(text) ? Number(text) : undefined;
}

function numberMember(value: unknown, name: string): number | undefined {
  const found = member(value, name);
  return typeof found === 'number' ? found : undefined;
}
