import resend from '../../../../providers/email/resend.ts';
import { jsonCheck, type VendorRequest } from '../../../helpers/vendor.ts';
import { unquoted, type Posted, type VendorBed } from './bed.ts';

const key = 're_9Zk2Qw8_TestOnlyTestOnlyTestOnly';
const id = '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794';
const text = { type: 'string' } as const;
const texts = { type: 'array', minItems: 1, maxItems: 50, items: text } as const;

const check = jsonCheck({
  type: 'object',
  additionalProperties: false,
  required: ['from', 'to', 'subject', 'tags'],
  properties: {
    from: text,
    to: texts,
    cc: texts,
    bcc: texts,
    reply_to: texts,
    subject: text,
    text,
    html: text,
    // resend.com/docs/api-reference/emails/send-email#body-parameters: letters, digits, underscores and dashes.
    tags: {
      type: 'array',
      minItems: 1,
      items: {
        ...{ type: 'object', additionalProperties: false, required: ['name', 'value'] },
        properties: { name: { const: 'orb_key' }, value: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,256}$' } },
      },
    },
    attachments: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['filename', 'content'],
        properties: { filename: text, content: text, content_type: text },
      },
    },
  },
});

const error = (status: number, name: string, message = 'about ada@example.org'): { status: number; body: object } => ({
  status,
  body: { statusCode: status, name, message },
});

interface Body extends Record<string, unknown> {
  from: string;
  to: string[];
  cc?: string[];
  bcc?: string[];
  reply_to?: string[];
  subject: string;
  text?: string;
  html?: string;
  attachments?: { filename: string; content: string; content_type: string }[];
}

function posted(request: VendorRequest): Posted {
  const body = JSON.parse(request.body.toString()) as Body;
  const { cc = [], bcc = [], reply_to = [], attachments = [] } = body;
  return {
    from: unquoted(body.from),
    to: body.to.map(unquoted),
    cc: cc.map(unquoted),
    bcc: bcc.map(unquoted),
    reply_to: reply_to.map(unquoted),
    subject: body.subject,
    text: body.text,
    html: body.html,
    attachments: attachments.map(({ filename, content_type, content }) => ({
      name: filename,
      type: content_type,
      content,
    })),
  };
}

export const resendBed: VendorBed = {
  adapter: resend,
  config: (url) => ({ api_key: key, base_url: url }),
  secrets: [key],
  credential: 'api_key',
  contract(request) {
    const { method, path, headers } = request;
    if (headers['authorization'] !== `Bearer ${key}`) return error(400, 'validation_error', 'API key is invalid');
    if (method === 'GET' && path === '/domains') return { status: 200, body: { object: 'list', data: [] } };
    if (method !== 'POST' || path !== '/emails') return error(404, 'not_found');
    const idempotency = headers['idempotency-key'] ?? '';
    if (!/^.{1,256}$/.test(idempotency)) return error(400, 'invalid_idempotency_key');
    const wrong = check(request);
    return wrong === undefined ? { status: 200, body: { id } } : error(422, 'validation_error', wrong);
  },
  posted,
  id,
  success: { status: 200, body: { id } },
  withoutId: { status: 200, body: { object: 'email' } },
  answers: [
    { name: 'a bad field', reply: error(422, 'missing_required_field'), outcome: 'rejected' },
    { name: 'a bad request', reply: error(400, 'validation_error'), outcome: 'rejected', shows: 'validation_error' },
    { name: 'a bad sender', reply: error(422, 'invalid_from_address'), outcome: 'rejected', reason: 'sender_refused' },
    { name: 'a security finding', reply: error(451, 'security_error'), outcome: 'rejected' },
    { name: 'no key', reply: error(401, 'missing_api_key'), outcome: 'provider_fault', shows: 'missing_api_key' },
    { name: 'a wrong key', reply: error(403, 'invalid_api_key'), outcome: 'provider_fault' },
    {
      name: 'a wrong key, as it is answered',
      reply: error(400, 'validation_error', 'API key is invalid'),
      outcome: 'provider_fault',
    },
    { name: 'a domain not verified', reply: error(403, 'validation_error'), outcome: 'provider_fault' },
    { name: 'an unknown path', reply: error(404, 'not_found'), outcome: 'provider_fault' },
    { name: 'the quota of the day', reply: error(429, 'daily_quota_exceeded'), outcome: 'provider_fault' },
    { name: 'the quota of the month', reply: error(429, 'monthly_quota_exceeded'), outcome: 'provider_fault' },
    { name: 'the rate limit', reply: error(429, 'rate_limit_exceeded'), outcome: 'throttled' },
    { name: 'the key with another payload', reply: error(409, 'invalid_idempotent_request'), outcome: 'unknown' },
    { name: 'the key in progress', reply: error(409, 'concurrent_idempotent_requests'), outcome: 'unknown' },
    { name: 'its own fault', reply: error(500, 'application_error'), outcome: 'unknown', shows: 'application_error' },
  ],
};
