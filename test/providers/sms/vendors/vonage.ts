import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import vonage from '../../../../providers/sms/vonage.ts';
import { jsonCheck, type VendorReply, type VendorRequest } from '../../../helpers/vendor.ts';
import { answersOf, senders, type SmsBed } from './bed.ts';

const message_uuid = 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab';

/** The credentials of the double: an application with its key, and an account. */
export const credentials = {
  application_id: '78d335fa-323d-4114-9c3d-d6f0d48968cf',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  api_key: 'abcd1234',
  api_secret: 'vonage_secret_Qp77',
};

// developer.vonage.com/en/api/messages, SMS
const check = jsonCheck({
  type: 'object',
  additionalProperties: false,
  required: ['message_type', 'channel', 'to', 'from', 'text'],
  properties: {
    message_type: { const: 'text' },
    channel: { const: 'sms' },
    to: { type: 'string', pattern: '^[1-9][0-9]{6,14}$' },
    from: { type: 'string', pattern: '^[A-Za-z0-9 ]{1,15}$' },
    text: { type: 'string', minLength: 1, maxLength: 1000 },
    client_ref: { type: 'string', maxLength: 100 },
    webhook_url: { type: 'string', pattern: '^https?://' },
    webhook_version: { enum: ['v0.1', 'v1'] },
    ttl: { type: 'integer', minimum: 1 },
    sms: {
      type: 'object',
      additionalProperties: false,
      properties: {
        encoding_type: { enum: ['text', 'unicode', 'auto'] },
        content_id: { type: 'string' },
        entity_id: { type: 'string' },
      },
    },
  },
});

const problem = (status: number, code: string): VendorReply => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: { type: `https://developer.vonage.com/api-errors#${code}`, title: code, detail: 'about 4915123456789' },
});

type Claims = Readonly<Record<'application_id' | 'iat' | 'exp' | 'jti', unknown>>;

const part = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));

/** Reads the claims of a token that the application signed and that is valid now. */
export function claimsOf(authorization = ''): Claims | undefined {
  const [head = '', body = '', signature = ''] = authorization.replace(/^Bearer /, '').split('.');
  const key = createPublicKey(credentials.private_key);
  if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) return undefined;
  const claims = part(body) as Claims;
  const now = Date.now() / 1000;
  const fits = (part(head) as { alg?: string }).alg === 'RS256' && claims.application_id === credentials.application_id;
  // Tokens are valid for a day at most.
  const lasts = Number(claims.exp) > now && Number(claims.exp) - Number(claims.iat) <= 86_400;
  return fits && lasts && Number(claims.iat) <= now + 60 && typeof claims.jti === 'string' ? claims : undefined;
}

function isAllowed(authorization = ''): boolean {
  const { api_key, api_secret } = credentials;
  if (authorization.startsWith('Bearer ')) return claimsOf(authorization) !== undefined;
  return authorization === `Basic ${Buffer.from(`${api_key}:${api_secret}`).toString('base64')}`;
}

function contract(request: VendorRequest): VendorReply {
  const { method, path, headers } = request;
  if (!isAllowed(headers['authorization'])) return problem(401, 'unauthorized');
  if (method !== 'POST' || path !== '/v1/messages') return problem(404, 'not-found');
  return check(request) === undefined ? success : problem(422, 'invalid-params');
}

const success: VendorReply = { status: 202, body: { message_uuid } };

export const vonageBed: SmsBed = {
  adapter: vonage,
  config: (url) => ({ api_key: credentials.api_key, api_secret: credentials.api_secret, senders, base_url: url }),
  secrets: [credentials.api_secret, Buffer.from(`${credentials.api_key}:${credentials.api_secret}`).toString('base64')],
  credential: 'api_secret',
  contract,
  posted({ body }) {
    const { to, from, text, ttl, webhook_url, client_ref, sms } = JSON.parse(body.toString('utf8')) as Readonly<
      Record<string, string>
    > & { readonly sms: { readonly encoding_type: string } };
    return {
      to,
      from,
      text,
      validity: ttl,
      report_url: webhook_url,
      key: client_ref,
      encoding: sms.encoding_type,
    } as ReturnType<SmsBed['posted']>;
  },
  success,
  outputs: { message_id: message_uuid, status: 'accepted', segments: 1, encoding: 'gsm7' },
  unproven: [
    { status: 202, body: {} },
    { status: 202, body: { message_uuid: '' } },
    { status: 202, body: [] },
    { status: 202, body: '{"message_uuid": "aaaa' },
  ],
  answers: answersOf('vonage'),
};
