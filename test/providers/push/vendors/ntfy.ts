import ntfy from '../../../../providers/push/ntfy.ts';
import { jsonCheck, type VendorReply } from '../../../helpers/vendor.ts';
import type { PushBed } from './bed.ts';

const token = 'tk_agqdq7mvbqd37xyuhq1n0jjdqtest';
const topic = 'alerts-9f2c1d77e0';
const id = 'hwQ2YpKdmg7t';

const check = jsonCheck({
  type: 'object',
  additionalProperties: false,
  required: ['topic'],
  properties: {
    topic: { type: 'string', pattern: '^[-_A-Za-z0-9]{1,64}$' },
    message: { type: 'string' },
    title: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    priority: { type: 'integer', minimum: 1, maximum: 5 },
    click: { type: 'string', pattern: '^https?://' },
    sequence_id: { type: 'string', pattern: '^[-_A-Za-z0-9]{1,64}$' },
  },
});

const errors = 'github.com/binwiederhier/ntfy/blob/main/server/errors.go';
const error = (code: number, said = 'about alerts-9f2c1d77e0'): VendorReply => ({
  status: Math.floor(code / 100),
  body: { code, http: Math.floor(code / 100), error: said, link: 'https://ntfy.sh/docs/publish/' },
});
const rejected = { outcome: 'rejected' } as const;
const read = { source: errors, date: '2026-11-29' };

export const ntfyBed: PushBed = {
  adapter: ntfy,
  config: (url) => ({ base_url: url, token }),
  to: () => ({ topic }),
  secrets: [token, topic],
  contract(request) {
    const { method, path, headers, body } = request;
    if (headers['authorization'] !== `Bearer ${token}`) return error(40101, 'unauthorized');
    if (method === 'GET' && path === '/v1/account') return { status: 200, body: { username: 'orb', role: 'user' } };
    if (method !== 'POST' || path !== '/') return error(40401);
    const wrong = check(request);
    if (wrong !== undefined) return error(40024, wrong);
    const { message = '', title = '' } = JSON.parse(body.toString()) as { message?: string; title?: string };
    if (Buffer.byteLength(title) > 1024) return error(40057);
    // It would become an attachment, which this server does not allow.
    if (Buffer.byteLength(message) > 4096) return error(40014);
    return ntfyBed.success;
  },
  id,
  success: {
    status: 200,
    body: { id, time: 1796000000, expires: 1796043200, event: 'message', topic, title: 'Build', message: 'text' },
  },
  unproven: [{ status: 200 }, { status: 200, body: [] }, { status: 200, body: '{"id": "x' }, { status: 204 }],
  answers: [
    { name: 'a topic that is not allowed', reply: error(40010), ...rejected, reason: 'recipient_unknown', ...read },
    { name: 'a bad topic', reply: error(40009), ...rejected, reason: 'recipient_unknown', ...read },
    { name: 'bad JSON', reply: error(40024), ...rejected, ...read },
    { name: 'a title of more than 1 KB', reply: error(40057), ...rejected, reason: 'content_too_long', ...read },
    { name: 'too large an attachment', reply: error(41301), ...rejected, reason: 'content_too_long', ...read },
    { name: 'too large a body', reply: error(41303), ...rejected, reason: 'content_too_long', ...read },
    { name: 'wrong credentials', reply: error(40101), outcome: 'provider_fault', ...read },
    { name: 'no right to the topic', reply: error(40301), outcome: 'provider_fault', ...read },
    { name: 'no such page', reply: error(40401), outcome: 'provider_fault', ...read },
    { name: 'too many requests', reply: error(42901), outcome: 'throttled', ...read },
    { name: 'too many messages', reply: error(42908), outcome: 'throttled', ...read },
    { name: 'its own fault', reply: error(50001), outcome: 'unknown', ...read },
    {
      name: 'a UnifiedPush topic without subscriber',
      reply: error(50701),
      ...rejected,
      reason: 'recipient_unknown',
      ...read,
    },
  ],
};
