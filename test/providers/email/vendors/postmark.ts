import postmark from '../../../../providers/email/postmark.ts';
import { jsonCheck, type VendorReply, type VendorRequest } from '../../../helpers/vendor.ts';
import { split, unquoted, type Posted, type VendorBed } from './bed.ts';

const token = 'ed742d75-5a45-49b6-a0a1-5b9ec3dc9e5d';
const id = 'b7bc2f4a-e38e-4336-af7d-e6c392c2f817';
const text = { type: 'string' } as const;
const some = { type: 'string', minLength: 1 } as const;

const check = jsonCheck({
  type: 'object',
  additionalProperties: false,
  required: ['From', 'To', 'MessageStream', 'Metadata'],
  properties: {
    From: some,
    To: some,
    Cc: some,
    Bcc: some,
    ReplyTo: some,
    Subject: text,
    TextBody: text,
    HtmlBody: text,
    MessageStream: { enum: ['outbound', 'receipts'] },
    // postmarkapp.com/developer/user-guide/send-email-with-api#metadata: comes back in each webhook.
    Metadata: {
      ...{ type: 'object', additionalProperties: false, required: ['orb_key'] },
      properties: { orb_key: { type: 'string', minLength: 1, maxLength: 80 } },
    },
    Attachments: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['Name', 'Content', 'ContentType'],
        properties: { Name: some, Content: text, ContentType: some },
      },
    },
  },
});

function posted(request: VendorRequest): Posted {
  const body = JSON.parse(request.body.toString()) as Record<string, string> & {
    Attachments?: { Name: string; Content: string; ContentType: string }[];
  };
  return {
    from: unquoted(body['From'] ?? ''),
    to: split(body['To']),
    cc: split(body['Cc']),
    bcc: split(body['Bcc']),
    reply_to: split(body['ReplyTo']),
    subject: body['Subject'] ?? '',
    text: body['TextBody'],
    html: body['HtmlBody'],
    attachments: (body.Attachments ?? []).map(({ Name, ContentType, Content }) => ({
      name: Name,
      type: ContentType,
      content: Content,
    })),
  };
}

const error = (status: number, ErrorCode: number, Message = 'about ada@example.org'): VendorReply => ({
  status,
  body: { ErrorCode, Message },
});

export const postmarkBed: VendorBed = {
  adapter: postmark,
  config: (url) => ({ server_token: token, base_url: url }),
  secrets: [token],
  credential: 'server_token',
  contract(request) {
    const { method, path, headers } = request;
    if (headers['x-postmark-server-token'] !== token) return error(401, 10);
    if (headers['accept'] !== 'application/json') return error(422, 409);
    if (method === 'GET' && path === '/server') return { status: 200, body: { ID: 1, Name: 'Test' } };
    if (method !== 'POST' || path !== '/email') return { status: 404 };
    const wrong = check(request);
    return wrong === undefined ? postmarkBed.success : error(422, 403, wrong);
  },
  posted,
  id,
  success: {
    status: 200,
    body: { To: 'ada@example.org', SubmittedAt: '2026-11-21T12:00:00Z', MessageID: id, ErrorCode: 0, Message: 'OK' },
  },
  withoutId: { status: 200, body: { ErrorCode: 0, Message: 'OK' } },
  answers: [
    { name: 'a bad message', reply: error(422, 300), outcome: 'rejected', shows: '300' },
    {
      name: 'an inactive recipient',
      reply: error(422, 406),
      outcome: 'rejected',
      reason: 'recipient_blocked',
      shows: '406',
    },
    { name: 'a forbidden attachment', reply: error(422, 411), outcome: 'rejected', reason: 'content_refused' },
    { name: 'too long a message', reply: { status: 413 }, outcome: 'rejected', reason: 'content_too_long' },
    { name: 'a wrong token', reply: error(401, 10), outcome: 'provider_fault' },
    { name: 'no sender signature', reply: error(422, 400), outcome: 'provider_fault', shows: '400' },
    { name: 'a sender signature not confirmed', reply: error(422, 401), outcome: 'provider_fault' },
    { name: 'no credits', reply: error(422, 405), outcome: 'provider_fault' },
    { name: 'a pending account', reply: error(422, 412), outcome: 'provider_fault' },
    { name: 'an account that may not send', reply: error(422, 413), outcome: 'provider_fault' },
    { name: 'no such stream', reply: error(422, 1235), outcome: 'provider_fault' },
    { name: 'the rate limit', reply: error(429, 429), outcome: 'throttled' },
    {
      name: 'success with an error code',
      reply: { status: 200, body: { MessageID: id, ErrorCode: 406 } },
      outcome: 'unknown',
    },
    { name: 'maintenance', reply: error(503, 100), outcome: 'unknown' },
    { name: 'its own fault', reply: { status: 500 }, outcome: 'unknown' },
  ],
};
