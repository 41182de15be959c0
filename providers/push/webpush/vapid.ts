import { createECDH, createPrivateKey, sign } from 'node:crypto';
import { curve } from './encryption.ts';

/** The keys by which push services know the sender of a subscription, in base64url. */
export interface VapidKeys {
  readonly public_key: string;
  readonly private_key: string;
}

// RFC 8292 §2: at most 24 hours. Half of it leaves room for a clock that is wrong.
const lifetimeS = 12 * 3600;

/** Says whether the public key is that of the private one. */
export function isPair({ private_key, public_key }: VapidKeys): boolean {
  const pair = createECDH(curve);
  try {
    pair.setPrivateKey(private_key, 'base64url');
  } catch {
    return false;
  }
  return pair.getPublicKey('base64url') === public_key;
}

/**
 * Makes a function that gives the value of Authorization for a push service by its origin (RFC 8292 §3). `subject`:
 * a `mailto:` or `https:` URL by which the operator of the service reaches the sender.
 */
export function authorizer(keys: VapidKeys, subject: string): (origin: string, now?: number) => string {
  const { private_key: d, public_key } = keys;
  const point = Buffer.from(public_key, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d, x, y } });
  const head = encoded({ typ: 'JWT', alg: 'ES256' });
  return (origin, now = Date.now()) => {
    const claims = encoded({ aud: origin, exp: Math.floor(now / 1000) + lifetimeS, sub: subject });
    const signed = `${head}.${claims}`;
    // RFC 7518 §3.4: both numbers one after the other, not DER.
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return `vapid t=${signed}.${signature.toString('base64url')}, k=${public_key}`;
  };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
