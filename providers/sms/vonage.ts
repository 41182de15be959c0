import { createPrivateKey, randomUUID, sign, type KeyObject } from 'node:crypto';
import { defineProvider, exactly, given, optional, ProviderError } from '../../kernel/adapter.ts';
import { jsonBody, textMember } from '../vendor/http/json.ts';
import { openClient, type Call } from '../vendor/http/client.ts';
import { accepted, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { sms } from './contract.ts';
import { message, type Message } from './message/message.ts';
import { outcomeByCode } from './vendor/codes.ts';
import { expectRejection } from './vendor/rejection.ts';
import { senderOf, senders } from './vendor/senders.ts';
import { vonageCodes } from './vendor/tables.ts';

const settings = exactly({
  application_id: optional({
    type: 'string',
    title: 'Id of the application',
    description: 'With `private_key`. Its Messages capability must be on.',
    pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  }),
  private_key: optional({
    ...{ type: 'string', title: 'Private key of the application (PEM)', maxLength: 16_384, secret: true },
    pattern: '-----BEGIN (?:RSA )?PRIVATE KEY-----',
  }),
  api_key: optional({ ...secretText('API key'), description: 'With `api_secret`, instead of an application.' }),
  api_secret: optional(secretText('API secret')),
  senders,
  base_url: optional({
    ...baseUrl('https://api.nexmo.com'),
    description: 'For a region, such as https://api-eu.vonage.com.',
  }),
  ...transportSettings,
});
// Apart from the others: as a constant it would make the type of the configuration a union.
const either: object = {
  anyOf: [
    { required: ['application_id', 'private_key'], description: 'An application' },
    { required: ['api_key', 'api_secret'], description: 'An account' },
  ],
};

const vonage: Vendor = {
  title: 'Vonage',
  credentials: '`application_id` and `private_key`, or `api_key` and `api_secret`',
  // Problems of RFC 7807; the code is the fragment of their type.
  code: ({ body }) => textMember(body, 'type')?.replace(/^.*[#/]/u, ''),
  outcome: outcomeByCode(vonageCodes),
};

// developer.vonage.com/en/api/messages: "limited to 1000 characters"
const mostCharacters = 1000;

/**
 * Sends text messages with Vonage's Messages API. Vonage has no idempotency keys: a call whose answer is lost stays
 * unknown.
 */
export default defineProvider({
  name: 'vonage',
  capability: sms,
  about: 'Sends text messages with Vonage.',
  config: { ...settings, ...either },
  async open({ config }) {
    const { application_id, private_key, api_key, api_secret, senders: configured, ...rest } = config;
    const authorization =
      application_id !== undefined && private_key !== undefined
        ? bearer(application_id, keyOf(private_key))
        : () => `Basic ${Buffer.from(`${api_key ?? ''}:${api_secret ?? ''}`).toString('base64')}`;
    const client = await openClient(rest);
    const post = (body: object): Call => ({
      ...{ method: 'POST', path: '/v1/messages', body: jsonBody(body) },
      headers: { authorization: authorization(), accept: 'application/json', 'content-type': 'application/json' },
    });
    return {
      async execute(inputs, { signal, idempotency_key, report_url }) {
        const text = message(inputs);
        if (text.text.length > mostCharacters)
          throw new ProviderError('rejected', `Vonage takes at most ${mostCharacters} characters`, {
            reason: 'content_too_long',
          });
        const body = { ...payload(text, senderOf(configured, text.from)), client_ref: idempotency_key };
        const reports = given({ webhook_url: report_url, webhook_version: report_url && 'v1' });
        const answer = await client.call(post({ ...body, ...reports }), signal);
        const message_id = accepted(vonage, answer, textMember(answer.body, 'message_uuid'));
        return { message_id, status: 'accepted', segments: text.segments, encoding: text.encoding };
      },
      // A message without a recipient.
      async probe(signal) {
        expectRejection(vonage, await client.call(post({ message_type: 'text', channel: 'sms' }), signal));
      },
      close: () => client.close(),
    };
  },
});

// developer.vonage.com/en/api/messages. The encoding is the one that was counted, so that Vonage does not choose.
function payload({ to, text, encoding, valid_for_s }: Message, from: string): object {
  return given({
    ...{
      message_type: 'text',
      channel: 'sms',
      to: to.slice(1),
      from: from.replace(/^\+/u, ''),
      text,
      ttl: valid_for_s,
    },
    sms: { encoding_type: encoding === 'gsm7' ? 'text' : 'unicode' },
  });
}

function keyOf(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The error of the parser may show parts of the key.
  }
  throw new ProviderError('provider_fault', 'the private key is not an RSA key in PEM', {
    phase: 'open',
    remedy: 'check `private_key`',
  });
}

// developer.vonage.com/en/getting-started/concepts/authentication: RS256; the clocks of both sides may differ.
const validForS = 300;

function bearer(application_id: string, key: KeyObject): () => string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const head = encoded({ alg: 'RS256', typ: 'JWT' });
  return () => {
    const iat = Math.floor(Date.now() / 1000);
    const signed = `${head}.${encoded({ application_id, iat, exp: iat + validForS, jti: randomUUID() })}`;
    return `Bearer ${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  };
}
