import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secret } from './proof.ts';

/**
 * Most secrets of a source; every check computes this number of secrets, so its time does not depend on their count.
 */
export const mostSecrets = 3;

/** Most entries of one signature header that are looked at. */
const mostEntries = 10;

const dummy = randomBytes(32);

const blind = randomBytes(32);

/** Compares two texts or byte strings of any length in constant time. */
export function equal(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(
    createHmac('sha256', blind).update(a).digest(),
    createHmac('sha256', blind).update(b).digest(),
  );
}

/** Input of a check: the presented MACs, the signed bytes and all secrets. */
interface HmacQuestion {
  readonly algorithm: 'sha256' | 'sha512' | 'sha1';
  readonly secrets: readonly Secret[];
  /** Candidates for the signed bytes. */
  readonly signed: readonly Uint8Array[];
  readonly presented: readonly Uint8Array[];
  /** Makes the key from a secret; default: its UTF-8 bytes. Undefined: the secret is not a key of this kind. */
  readonly keyOf?: (secret: string) => Uint8Array | undefined;
}

/** Finds the version of the secret that made a presented MAC; tries every secret, even after a match. */
export function findSecret(question: HmacQuestion): number | undefined {
  const { algorithm, secrets, signed, keyOf = (secret) => Buffer.from(secret) } = question;
  const presented = question.presented.slice(0, mostEntries);
  let found: number | undefined;
  for (let index = 0; index < mostSecrets; index++) {
    const secret = secrets[index];
    const key = secret === undefined ? undefined : keyOf(secret.text);
    for (const bytes of signed) {
      const mac = createHmac(algorithm, key ?? dummy)
        .update(bytes)
        .digest();
      for (const entry of presented) {
        if (equal(mac, entry) && key !== undefined && secret !== undefined) found ??= secret.version;
      }
    }
  }
  return found;
}

/** Decodes hexadecimal digits strictly; undefined for anything else. */
export function fromHex(value: string): Uint8Array | undefined {
  return /^(?:[0-9a-f]{2})+$/i.test(value) ? Buffer.from(value, 'hex') : undefined;
}

/** Decodes standard base64 strictly; undefined for anything else. */
export function fromBase64(value: string): Uint8Array | undefined {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value) && value !== ''
    ? Buffer.from(value, 'base64')
    : undefined;
}

/** Joins a text and a body as one byte string. */
export function joined(head: string, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(head), body]);
}

/**
 * Computes the distance of a signed time (seconds) from now, ms; undefined when it is out of tolerance: `toleranceS` in
 * the past, 60 s in the future.
 */
export function skewWithin(seconds: string | undefined, toleranceS: number, nowMs: number): number | undefined {
  if (seconds === undefined || !/^\d{1,12}$/.test(seconds)) return undefined;
  const skew = Number(seconds) * 1000 - nowMs;
  return skew >= -toleranceS * 1000 && skew <= 60_000 ? skew : undefined;
}
