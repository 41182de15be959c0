import { createECDH, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { importJWK, jwtVerify } from 'jose';
import webpush from '../../../../providers/push/webpush.ts';
import type { VendorReply, VendorRequest } from '../../../helpers/vendor.ts';
import type { DocumentedAnswer, PushBed } from './bed.ts';

/** The judge of our encryption: the library of the author of the RFCs. */
interface Ece {
  decrypt(
    body: Buffer,
    params: { version: 'aes128gcm'; privateKey?: unknown; authSecret?: string; key?: string },
  ): Buffer;
}

/** Decrypts what a push service got (RFC 8188). */
export const { decrypt } = createRequire(import.meta.url)('http_ece') as Ece;

/** Makes a key pair of P-256 in base64url, by JWK, which pads both. */
export function newKeys(): { readonly public_key: string; readonly private_key: string } {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return {
    public_key: pair.getPublicKey('base64url'),
    private_key: Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
      .subarray(-32)
      .toString('base64url'),
  };
}

/** The keys of the sender with which the browser of the tests subscribed. */
export const vapid = { ...newKeys(), subject: 'mailto:push@example.com' };

const browser = createECDH('prime256v1');
browser.generateKeys();
const auth = randomBytes(16).toString('base64url');
const secretPath = '/wpush/v2/gAAAAABm-secret-endpoint-of-ada';
/** The keys of the subscription. */
export const keys = { p256dh: browser.getPublicKey('base64url'), auth };
const location = 'https://updates.push.services.mozilla.com/m/gAAAAABm-message';

/** The subscription of the tests at a push service, as a browser writes it. */
export function subscriptionAt(url: string): object {
  return { endpoint: `${url}${secretPath}?v=1`, expirationTime: null, keys };
}

/** Decrypts and parses the message in a request. */
export function messageIn({ body }: VendorRequest): unknown {
  return JSON.parse(opened(body).toString('utf8'));
}

const opened = (body: Buffer): Buffer => decrypt(body, { version: 'aes128gcm', privateKey: browser, authSecret: auth });

const failed = (status: number, errno: number): VendorReply => ({
  status,
  body: { code: status, errno, error: 'Error', message: `about ${secretPath}`, more_info: 'https://example.com' },
});

/** Checks a request as RFC 8030, 8188, 8291 and 8292 say, with readers of others; answers the first fault. */
async function refused(request: VendorRequest): Promise<VendorReply | undefined> {
  const { method, path, headers, body } = request;
  if (method !== 'POST') return failed(405, 0);
  if (path !== `${secretPath}?v=1`) return failed(404, 102);
  if (!/^\d{1,10}$/.test(headers['ttl'] ?? '')) return failed(400, 111);
  if (headers['content-encoding'] !== 'aes128gcm') return failed(400, 110);
  if (!/^(?:very-low|low|normal|high)$/.test(headers['urgency'] ?? 'normal')) return failed(400, 0);
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(headers['topic'] ?? 'x')) return failed(400, 113);
  if (body.length > 4096) return failed(413, 104);
  if (!(await isSigned(headers))) return failed(401, 109);
  try {
    opened(body);
    return undefined;
  } catch {
    // A service cannot see this; the browser would drop the message.
    return failed(400, 110);
  }
}

async function isSigned({ authorization = '', host = '' }: VendorRequest['headers']): Promise<boolean> {
  const [, token = '', key] = /^vapid t=([\w.-]+), ?k=([\w-]{87})$/.exec(authorization) ?? [];
  if (key !== vapid.public_key) return false;
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  try {
    const signer = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
    const audience = [`http://${host}`, `https://${host}`];
    const { payload } = await jwtVerify(token, signer, { audience, algorithms: ['ES256'], requiredClaims: ['exp'] });
    const { exp = Infinity, sub = '' } = payload;
    return exp <= Date.now() / 1000 + 86_400 && /^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/.test(sub);
  } catch {
    return false;
  }
}

const rfc = { source: 'rfc-editor.org/rfc/rfc8030', date: '2026-11-29' };
const mozilla = { source: 'mozilla-services.github.io/autopush-rs/errors.html', date: '2026-11-29' };
const apple = {
  source: 'developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers',
  date: '2026-11-27',
};
const microsoft = {
  source: 'learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/push-request-response-headers',
  date: '2026-11-27',
};
const byApple = (status: number, reason: string): VendorReply => ({ status, body: { reason } });
const rejected = { outcome: 'rejected' } as const;
const gone = { outcome: 'rejected', reason: 'recipient_gone' } as const;
const fault = { outcome: 'provider_fault' } as const;

const answers: readonly DocumentedAnswer[] = [
  { name: 'an expired subscription', reply: { status: 404 }, ...gone, ...rfc },
  { name: 'too large a message', reply: { status: 413 }, outcome: 'rejected', reason: 'content_too_long', ...rfc },
  { name: 'too many messages', reply: { status: 429, headers: { 'retry-after': '60' } }, outcome: 'throttled', ...rfc },
  { name: 'an endpoint that is not valid', reply: failed(404, 102), ...gone, ...mozilla },
  { name: 'a user that is gone', reply: failed(410, 103), ...gone, ...mozilla },
  { name: 'a subscription that is gone', reply: failed(410, 106), ...gone, ...mozilla },
  { name: 'missing keys', reply: failed(400, 101), ...rejected, ...mozilla },
  { name: 'bad keys', reply: failed(400, 110), ...rejected, ...mozilla },
  { name: 'no TTL', reply: failed(400, 111), ...rejected, ...mozilla },
  {
    name: 'a payload of more than 4,096 bytes',
    reply: failed(413, 104),
    ...rejected,
    reason: 'content_too_long',
    ...mozilla,
  },
  { name: 'a signature by another key', reply: failed(401, 109), ...fault, ...mozilla },
  { name: 'its database being away', reply: failed(503, 201), outcome: 'unknown', ...mozilla },
  { name: 'its own fault', reply: failed(500, 999), outcome: 'unknown', ...mozilla },
  { name: 'a bad token', reply: byApple(403, 'BadJwtToken'), ...fault, ...apple },
  { name: 'a bad token, as 400', reply: byApple(400, 'BadJwtToken'), ...fault, ...apple },
  { name: 'another VAPID key', reply: byApple(400, 'VapidPkHashMismatch'), ...gone, ...apple },
  { name: 'a bad topic', reply: byApple(400, 'BadWebPushTopic'), ...rejected, ...apple },
  { name: 'an expired subscription of Safari', reply: byApple(410, 'Unregistered'), ...gone, ...apple },
  {
    name: 'too large a payload',
    reply: byApple(413, 'PayloadTooLarge'),
    ...rejected,
    reason: 'content_too_long',
    ...apple,
  },
  { name: 'its shutdown', reply: byApple(503, 'ServiceUnavailable'), outcome: 'unknown', ...apple },
  { name: 'a channel that has expired', reply: { status: 410 }, ...gone, ...microsoft },
  { name: 'no right to the channel', reply: { status: 403 }, ...fault, ...microsoft },
  { name: 'the throttle limit', reply: { status: 406 }, outcome: 'throttled', ...microsoft },
];

export const serviceBed: PushBed = {
  adapter: webpush,
  config: (url) => ({ ...vapid, push_hosts: [{ host: '127.0.0.1', port: Number(new URL(url).port), private: true }] }),
  to: (url) => ({ subscription: subscriptionAt(url) }),
  secrets: [vapid.private_key, secretPath, auth, keys.p256dh],
  contract: async (request) => (await refused(request)) ?? serviceBed.success,
  id: location,
  success: { status: 201, headers: { location } },
  unproven: [{ status: 200 }, { status: 200, headers: { location } }, { status: 204 }],
  answers,
};
