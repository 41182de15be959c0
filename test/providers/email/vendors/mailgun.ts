import mailgun from '../../../../providers/email/mailgun.ts';
import type { VendorReply, VendorRequest } from '../../../helpers/vendor.ts';
import { split, unquoted, type Posted, type VendorBed } from './bed.ts';

const key = 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0';
const id = '<20261121120000.1.ABCDEF@mg.example.com>';

interface Part {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string | undefined;
  readonly content: Buffer;
}

/** Reads multipart/form-data (RFC 7578) strictly: a reader that is not the writer's. */
function parts({ headers, body }: VendorRequest): Part[] {
  const boundary = /^multipart\/form-data; boundary=([!-~]+)$/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) throw new Error('no multipart/form-data');
  const [inside, epilogue] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}--`);
  if (inside === undefined || !['', '\r\n'].includes(epilogue ?? 'none')) throw new Error('not closed');
  return inside
    .split(`\r\n--${boundary}\r\n`)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const head = Buffer.from(part.slice(0, end), 'latin1').toString('utf8');
      const found =
        /^Content-Disposition: form-data; name="([^"]*)"(?:; filename="([^"]*)")?(?:\r\nContent-Type: (\S+))?$/.exec(
          head,
        );
      if (found === null) throw new Error(`bad part: ${head}`);
      const content = Buffer.from(part.slice(end + 4), 'latin1');
      return { name: found[1] ?? '', filename: found[2]?.replaceAll('%22', '"'), type: found[3], content };
    });
}

function posted(request: VendorRequest): Posted {
  const all = parts(request);
  const field = (name: string): string | undefined => all.find((part) => part.name === name)?.content.toString('utf8');
  return {
    from: unquoted(field('from') ?? ''),
    to: split(field('to')),
    cc: split(field('cc')),
    bcc: split(field('bcc')),
    reply_to: split(field('h:Reply-To')),
    subject: field('subject') ?? '',
    text: field('text'),
    html: field('html'),
    attachments: all
      .filter(({ name }) => name === 'attachment')
      .map(({ filename = '', type = '', content }) => ({ name: filename, type, content: content.toString('base64') })),
  };
}

const fields = ['from', 'to', 'cc', 'bcc', 'subject', 'text', 'html', 'h:Reply-To', 'o:testmode', 'v:orb_key'];
const error = (status: number, message = 'about ada@example.org'): VendorReply => ({ status, body: { message } });

function refused(request: VendorRequest): VendorReply | undefined {
  const all = parts(request);
  const names = all.map(({ name }) => name);
  const single = names.filter((name) => name !== 'attachment');
  if (single.some((name) => !fields.includes(name)) || new Set(single).size < single.length) return error(400);
  if (all.some(({ name, filename }) => (name === 'attachment') === (filename === undefined))) return error(400);
  const missing = ['from', 'to', 'subject', 'v:orb_key'].find((name) => !names.includes(name));
  if (missing !== undefined) return error(400, `${missing} parameter is missing`);
  return names.includes('text') || names.includes('html') ? undefined : error(400);
}

export const mailgunBed: VendorBed = {
  adapter: mailgun,
  config: (url) => ({ api_key: key, domain: 'mg.example.com', base_url: url }),
  secrets: [key, `api:${key}`],
  credential: 'api_key',
  contract(request) {
    const { method, path, headers } = request;
    const authorization = `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;
    if (headers['authorization'] !== authorization) return { status: 401, body: 'Forbidden' };
    if (method === 'GET' && path === '/v4/domains/mg.example.com')
      return { status: 200, body: { domain: { name: 'mg.example.com', state: 'active', is_disabled: false } } };
    if (method !== 'POST' || path !== '/v3/mg.example.com/messages') return error(404, 'Domain not found');
    return refused(request) ?? mailgunBed.success;
  },
  posted,
  id,
  success: { status: 200, body: { id, message: 'Queued. Thank you.' } },
  withoutId: { status: 200, body: { message: 'Queued. Thank you.' } },
  answers: [
    { name: 'a bad message', reply: error(400), outcome: 'rejected' },
    { name: 'too long a message', reply: error(413), outcome: 'rejected', reason: 'content_too_long' },
    { name: 'a wrong key', reply: { status: 401, body: 'Forbidden' }, outcome: 'provider_fault' },
    { name: 'no money', reply: error(402), outcome: 'provider_fault' },
    { name: 'access denied', reply: error(403), outcome: 'provider_fault' },
    { name: 'an unknown domain', reply: error(404), outcome: 'provider_fault' },
    { name: 'the rate limit', reply: error(429), outcome: 'throttled' },
    { name: 'its own fault', reply: error(500), outcome: 'unknown' },
  ],
};
