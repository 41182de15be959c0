import sendgrid from '../../../../providers/email/sendgrid.ts';
import { jsonCheck, type VendorReply, type VendorRequest } from '../../../helpers/vendor.ts';
import { shown, type Posted, type VendorBed } from './bed.ts';

const key = 'SG.testonlytestonly.test-only_test-only_test-only_test-only';
const id = '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0';
const some = { type: 'string', minLength: 1 } as const;
const person = {
  type: 'object',
  additionalProperties: false,
  required: ['email'],
  properties: { email: some, name: some },
} as const;
const people = { type: 'array', minItems: 1, maxItems: 1000, items: person } as const;

const check = jsonCheck({
  type: 'object',
  additionalProperties: false,
  required: ['personalizations', 'from', 'subject', 'content', 'custom_args'],
  not: { required: ['reply_to', 'reply_to_list'] },
  properties: {
    personalizations: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['to'],
        properties: { to: people, cc: people, bcc: people },
      },
    },
    from: person,
    reply_to: person,
    reply_to_list: people,
    // They come back as members of each event.
    custom_args: { type: 'object', additionalProperties: some, required: ['orb_key'] },
    subject: some,
    content: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'value'],
        properties: { type: some, value: some },
      },
    },
    attachments: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['content', 'filename'],
        properties: { content: some, type: some, filename: some, disposition: { enum: ['inline', 'attachment'] } },
      },
    },
  },
});

interface Person {
  email: string;
  name?: string;
}

interface Body {
  personalizations: [{ to: Person[]; cc?: Person[]; bcc?: Person[] }];
  from: Person;
  reply_to?: Person;
  reply_to_list?: Person[];
  subject: string;
  content: { type: string; value: string }[];
  attachments?: { content: string; type: string; filename: string }[];
}

const bodyOf = (request: VendorRequest): Body => JSON.parse(request.body.toString()) as Body;

function posted(request: VendorRequest): Posted {
  const body = bodyOf(request);
  const all = (list: readonly Person[] = []): string[] => list.map(({ email, name }) => shown(email, name));
  const [{ to, cc, bcc }] = body.personalizations;
  const part = (type: string): string | undefined => body.content.find((one) => one.type === type)?.value;
  return {
    from: all([body.from]).join(),
    to: all(to),
    cc: all(cc),
    bcc: all(bcc),
    reply_to: all(body.reply_to ? [body.reply_to] : body.reply_to_list),
    subject: body.subject,
    text: part('text/plain'),
    html: part('text/html'),
    attachments: (body.attachments ?? []).map(({ filename, type, content }) => ({ name: filename, type, content })),
  };
}

const error = (status: number, field: string | null, message = 'about ada@example.org'): VendorReply => ({
  status,
  body: { errors: [{ message, field, help: null }] },
});

/** What the schema cannot say: order of the parts, and each address once. */
function refused(request: VendorRequest): VendorReply | undefined {
  const wrong = check(request);
  if (wrong !== undefined) return error(400, null, wrong);
  const { personalizations, content } = bodyOf(request);
  if (content.length > 1 && content[0]?.type !== 'text/plain') return error(400, 'content');
  const [{ to, cc = [], bcc = [] }] = personalizations;
  const addresses = [...to, ...cc, ...bcc].map(({ email }) => email.toLowerCase());
  return new Set(addresses).size < addresses.length ? error(400, 'personalizations') : undefined;
}

export const sendgridBed: VendorBed = {
  adapter: sendgrid,
  config: (url) => ({ api_key: key, base_url: url }),
  secrets: [key],
  credential: 'api_key',
  contract(request) {
    const { method, path, headers } = request;
    if (headers['authorization'] !== `Bearer ${key}`) return error(401, null);
    if (method === 'GET' && path === '/v3/scopes') return { status: 200, body: { scopes: ['mail.send', 'user.read'] } };
    if (method !== 'POST' || path !== '/v3/mail/send') return error(404, null);
    return refused(request) ?? sendgridBed.success;
  },
  posted,
  id,
  success: { status: 202, headers: { 'x-message-id': id } },
  withoutId: { status: 202 },
  answers: [
    {
      name: 'a bad field',
      reply: error(400, 'personalizations.0.to'),
      outcome: 'rejected',
      shows: 'personalizations.0.to',
    },
    { name: 'a field that names a person', reply: error(400, 'to ada@example.org'), outcome: 'rejected' },
    { name: 'too long a message', reply: error(413, null), outcome: 'rejected', reason: 'content_too_long' },
    { name: 'a bad sender', reply: error(400, 'from.email'), outcome: 'rejected', reason: 'sender_refused' },
    ...['to', 'cc', 'bcc'].map((list) => ({
      name: `a bad address in ${list}`,
      reply: error(400, `personalizations.0.${list}.1.email`),
      outcome: 'rejected' as const,
      reason: 'recipient_unknown' as const,
    })),
    { name: 'a wrong key, or no credits', reply: error(401, null), outcome: 'provider_fault' },
    { name: 'a sender not verified', reply: error(403, 'from'), outcome: 'provider_fault', shows: 'from' },
    { name: 'a missing header', reply: error(406, null), outcome: 'provider_fault' },
    { name: 'another region', reply: error(451, null), outcome: 'provider_fault' },
    { name: 'the rate limit', reply: error(429, null), outcome: 'throttled' },
    { name: 'its own fault', reply: error(500, null), outcome: 'unknown' },
  ],
};
