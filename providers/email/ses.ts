import { defineProvider, exactly, optional, ProviderError } from '../../kernel/adapter.ts';
import { email } from './contract.ts';
import { openClient, type Answer, type Call } from '../vendor/http/client.ts';
import { keyMember, unlessEmpty } from './http/fields.ts';
import { jsonBody, member, textMember } from '../vendor/http/json.ts';
import { accepted, isSuccess, refusal, rejection, type Vendor } from '../vendor/http/refusal.ts';
import { anyBaseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { compose } from './message/compose.ts';
import { signed } from './ses/sigv4.ts';
import { message, type Message } from './message/message.ts';

const config = exactly({
  region: { type: 'string', title: 'AWS region', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)+$', maxLength: 32 },
  access_key_id: {
    type: 'string',
    title: 'Access key id',
    description: 'Access key of an identity that has the permissions ses:SendEmail and ses:SendRawEmail.',
    pattern: '^[A-Za-z0-9_]+$',
    maxLength: 128,
  },
  secret_access_key: secretText('Secret access key'),
  session_token: optional(secretText('Session token of temporary credentials')),
  configuration_set: optional({
    type: 'string',
    title: 'Configuration set',
    pattern: '^[A-Za-z0-9_-]+$',
    maxLength: 64,
  }),
  base_url: optional({
    ...anyBaseUrl,
    description: `Default: https://email.<region>.amazonaws.com. ${anyBaseUrl.description}`,
  }),
  ...transportSettings,
});

// docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors, and the common errors.
// Some of them have status 400, although the message is not the cause.
const accountErrors: readonly (string | undefined)[] = [
  'AccessDeniedException',
  'AccountSuspendedException',
  'SendingPausedException',
  'MailFromDomainNotVerifiedException',
  'LimitExceededException',
  'ExpiredTokenException',
  'IncompleteSignature',
  'IncompleteSignatureException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'NotAuthorized',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
];

const ses: Vendor = {
  title: 'Amazon SES',
  credentials: '`region`, `access_key_id` and `secret_access_key`',
  code: ({ headers, body }) => (headers['x-amzn-errortype'] ?? textMember(body, '__type'))?.replace(/^.*#|:.*$/gu, ''),
  outcome(answer, code) {
    if (accountErrors.includes(code)) return 'provider_fault';
    if (code === 'MessageRejected' && says(answer, 'Email address is not verified')) return 'provider_fault';
    // Documented as a message with invalid content.
    if (code === 'MessageRejected') return rejection('content_refused');
    if (code === 'TooManyRequestsException' && says(answer, 'Daily message quota exceeded')) return 'provider_fault';
    return code === 'ThrottlingException' ? 'throttled' : undefined;
  },
};

/**
 * Sends e-mails with Amazon SES (API v2) as MIME that we compose: one form for names in any script and for attachments.
 * SES has no idempotency keys: a call whose answer is lost stays unknown.
 */
export default defineProvider({
  name: 'ses',
  capability: email,
  about: 'Sends e-mail with Amazon SES.',
  config,
  async open({ config: { region, access_key_id, secret_access_key, session_token, configuration_set, ...given } }) {
    const base_url = given.base_url ?? sesEndpoint(region);
    const client = await openClient({ ...given, base_url });
    const credentials = { access_key_id, secret_access_key, session_token };
    const { host } = new URL(base_url);
    const sign = (call: Call): Call => {
      const request = { ...call, headers: { ...call.headers, host } };
      return { ...call, headers: signed(request, credentials, { region, service: 'ses', now: new Date() }) };
    };
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const mail = message(inputs, idempotency_key);
        const body = jsonBody({
          ...payload(mail, await compose(mail)),
          EmailTags: [{ Name: keyMember, Value: idempotency_key }],
          ...(configuration_set === undefined ? {} : { ConfigurationSetName: configuration_set }),
        });
        const headers = { 'content-type': 'application/json' };
        const call = sign({ method: 'POST', path: '/v2/email/outbound-emails', headers, body });
        const answer = await client.call(call, signal);
        return { message_id: accepted(ses, answer, textMember(answer.body, 'MessageId')) };
      },
      async probe(signal) {
        const answer = await client.call(sign({ method: 'GET', path: '/v2/email/account', headers: {} }), signal);
        // SES checks permissions only after a valid signature, so AccessDenied proves that the credentials are valid.
        if (answer.status === 403 && ses.code?.(answer) === 'AccessDeniedException') return;
        if (!isSuccess(answer)) throw refusal(ses, answer);
        if (member(answer.body, 'SendingEnabled') === false)
          throw new ProviderError('provider_fault', 'sending is paused for this Amazon SES account');
      },
      close: () => client.close(),
    };
  },
});

function payload(mail: Message, raw: Buffer): object {
  const addressOf = ({ address }: Message['from']): string => address;
  return {
    Destination: {
      ToAddresses: mail.to.map(addressOf),
      ...unlessEmpty('CcAddresses', mail.cc, addressOf),
      ...unlessEmpty('BccAddresses', mail.bcc, addressOf),
    },
    Content: { Raw: { Data: raw.toString('base64') } },
  };
}

// The text decides the outcome but is not passed on, because it names addresses.
function says({ body }: Answer, start: string): boolean {
  return (textMember(body, 'message') ?? textMember(body, 'Message') ?? '').startsWith(start);
}

/** Returns the SES endpoint of a region in the partition `aws`; for other partitions the address is configured. */
export function sesEndpoint(region: string): string {
  return `https://email.${region}.amazonaws.com`;
}
