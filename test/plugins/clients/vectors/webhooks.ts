import { createHmac, sign } from 'node:crypto';
import { privateKeyOf, rawPublicKey } from '../../../../plugins/receipts/format/ed25519.ts';

/** One case: a callback, what verifies it, and the result. */
export interface WebhookCase {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly by: Readonly<Record<string, unknown>>;
  readonly result: object;
}

const now = 1_795_467_600_000;
const seconds = String(now / 1000);
const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const old = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
const [key, otherKey] = [5, 6].map((byte) => privateKeyOf(Buffer.alloc(32, byte)));
if (key === undefined || otherKey === undefined) throw new Error('two keys are needed');
const [publicKey, otherPublic] = [key, otherKey].map(
  (one) => `whpk_${Buffer.from(rawPublicKey(one)).toString('base64')}`,
);
const subscription = 'sub_01M8D659DZFMC80JT7JNKX0KV2';
const id = 'msg_01M8D659DZFMC80JT7JNKX0KV3';
const data = { subscription_id: subscription, run_id: 'run_01M8D659DZFMC80JT7JNKX0KV2', status: 'completed' };
const timestamp = '2026-11-23T20:00:00.342Z';
const body = JSON.stringify({ type: 'run.completed', timestamp, data });
const cloud = JSON.stringify({ specversion: '1.0', id, type: 'agent-orb.run.completed', time: timestamp, data });

const v1 = (text: string, by = secret, at = seconds, name = id): string =>
  `v1,${createHmac('sha256', Buffer.from(by.slice(6), 'base64'))
    .update(`${name}.${at}.${text}`)
    .digest('base64')}`;
const v1a = (text: string, by = key, at = seconds): string =>
  `v1a,${sign(null, Buffer.from(`${id}.${at}.${text}`), by).toString('base64')}`;
const headers = (signature: string, more: object = {}): Record<string, string> => ({
  ...{ 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature },
  ...more,
});
const ok = { ok: true, id, type: 'run.completed', timestamp, data };
const refused = (reason: string): object => ({ ok: false, reason });
const byKey = { keys: [publicKey], subscription, now };
const bySecret = { secrets: [secret], now };
const later = (s: number): number => now + s * 1000;

/** Callbacks of Standard Webhooks. */
export const webhooks: readonly WebhookCase[] = [
  { name: 'v1', headers: headers(v1(body)), body, by: bySecret, result: ok },
  { name: 'v1a', headers: headers(v1a(body)), body, by: byKey, result: ok },
  { name: 'both, by the secret', headers: headers(`${v1(body)} ${v1a(body)}`), body, by: bySecret, result: ok },
  { name: 'both, by the key', headers: headers(`${v1(body)} ${v1a(body)}`), body, by: byKey, result: ok },
  { name: 'CloudEvents', headers: headers(v1(cloud)), body: cloud, by: bySecret, result: ok },
  {
    name: 'names of headers in other letters',
    headers: { 'Webhook-Id': id, 'Webhook-Timestamp': seconds, 'Webhook-Signature': v1(body) },
    body,
    by: bySecret,
    result: ok,
  },
  {
    name: 'the second of two secrets',
    headers: headers(v1(body, old)),
    body,
    by: { secrets: [secret, old], now },
    result: ok,
  },
  { name: 'one of two signatures', headers: headers(`${v1(body, old)} ${v1(body)}`), body, by: bySecret, result: ok },
  { name: 'a version that is unknown', headers: headers(`v9,abc ${v1(body)}`), body, by: bySecret, result: ok },
  { name: 'another secret', headers: headers(v1(body, old)), body, by: bySecret, result: refused('signature') },
  { name: 'another key', headers: headers(v1a(body, otherKey)), body, by: byKey, result: refused('signature') },
  { name: 'a key in place of a secret', headers: headers(v1a(body)), body, by: bySecret, result: refused('signature') },
  {
    name: 'a key that is not pinned',
    headers: headers(v1a(body)),
    body,
    by: { ...byKey, keys: [otherPublic] },
    result: refused('signature'),
  },
  {
    name: 'a signature of v1 called v1a',
    headers: headers(v1(body).replace('v1,', 'v1a,')),
    body,
    by: bySecret,
    result: refused('signature'),
  },
  {
    name: 'one more space in the body',
    headers: headers(v1(body)),
    body: `${body} `,
    by: bySecret,
    result: refused('signature'),
  },
  {
    name: 'another id',
    headers: headers(v1(body), { 'webhook-id': 'msg_2' }),
    body,
    by: bySecret,
    result: refused('signature'),
  },
  {
    name: 'another time',
    headers: headers(v1(body), { 'webhook-timestamp': String(now / 1000 + 1) }),
    body,
    by: bySecret,
    result: refused('signature'),
  },
  {
    name: 'a cut signature',
    headers: headers(v1(body).slice(0, -8)),
    body,
    by: bySecret,
    result: refused('signature'),
  },
  {
    name: 'a signature that is not base64',
    headers: headers('v1,%%%'),
    body,
    by: bySecret,
    result: refused('signature'),
  },
  { name: 'five minutes later', headers: headers(v1(body)), body, by: { ...bySecret, now: later(300) }, result: ok },
  {
    name: 'too old',
    headers: headers(v1(body)),
    body,
    by: { ...bySecret, now: later(301) },
    result: refused('timestamp'),
  },
  {
    name: 'from the future',
    headers: headers(v1(body)),
    body,
    by: { ...bySecret, now: later(-301) },
    result: refused('timestamp'),
  },
  {
    name: 'a larger tolerance',
    headers: headers(v1(body)),
    body,
    by: { ...bySecret, now: later(301), tolerance_s: 600 },
    result: ok,
  },
  { name: 'no id', headers: headers(v1(body), { 'webhook-id': '' }), body, by: bySecret, result: refused('header') },
  {
    name: 'a time that is no number',
    headers: headers(v1(body), { 'webhook-timestamp': '1e9' }),
    body,
    by: bySecret,
    result: refused('header'),
  },
  { name: 'no signature', headers: headers(''), body, by: bySecret, result: refused('header') },
  {
    name: 'made for another receiver',
    headers: headers(v1a(body)),
    body,
    by: { ...byKey, subscription: 'sub_2' },
    result: refused('subscription'),
  },
  { name: 'not JSON', headers: headers(v1('hello')), body: 'hello', by: bySecret, result: refused('body') },
  { name: 'no event', headers: headers(v1('{"a":1}')), body: '{"a":1}', by: bySecret, result: refused('body') },
];
