import { createHmac, createPublicKey, verify as verifyBytes } from 'node:crypto';
import type { Secret, Signature } from './proof.ts';
import { signatureFault } from './fault.ts';
import { findSecret, fromBase64, joined, skewWithin } from './hmac.ts';
import type { AuthSettings } from '../settings/schema.ts';

/** Reads the key of a `whsec_` secret (24–64 bytes of base64); undefined for anything else. */
export function symmetricKey(secret: string): Uint8Array | undefined {
  if (!secret.startsWith('whsec_')) return undefined;
  const key = fromBase64(secret.slice('whsec_'.length));
  return key !== undefined && key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** Reads a `whpk_` public key, 32 bytes of base64; undefined for anything else. */
export function publicKey(secret: string): Uint8Array | undefined {
  if (!secret.startsWith('whpk_')) return undefined;
  const key = fromBase64(secret.slice('whpk_'.length));
  return key?.length === 32 ? key : undefined;
}

/** Verifies Standard Webhooks: `v1` (HMAC-SHA256) and `v1a` (Ed25519) over id.timestamp.body, also under the older names `svix-…`. */
export const standardSignature: Signature = {
  verify({ headers, raw }, secrets, settings, nowMs) {
    const read = (name: string): string | undefined => headers[`webhook-${name}`] ?? headers[`svix-${name}`];
    const [id, seconds, signature] = [read('id'), read('timestamp'), read('signature')];
    const skew = skewWithin(seconds, settings.tolerance_s ?? 300, nowMs);
    const bytes = joined(`${id ?? ''}.${seconds ?? ''}.`, raw);
    const entries = (signature ?? '').split(' ').map((entry) => entry.split(','));
    const presented = (kind: string): readonly Uint8Array[] =>
      entries
        .filter(([version]) => version === kind)
        .map(([, value = '']) => fromBase64(value))
        .filter((value) => value !== undefined);
    const signed = [bytes];
    const hmac = findSecret({ algorithm: 'sha256', secrets, signed, presented: presented('v1'), keyOf: symmetricKey });
    const found = hmac ?? findPublic(secrets, bytes, presented('v1a'));
    if (id === undefined || skew === undefined || found === undefined) return undefined;
    const scheme = hmac === undefined ? 'standard-webhooks.v1a' : 'standard-webhooks.v1';
    return { strength: 'strong', scheme, secret_version: found, clock_skew_ms: skew };
  },
  fault({ headers }, settings, nowMs) {
    const family =
      headers['webhook-signature'] === undefined && headers['svix-signature'] !== undefined ? 'svix' : 'webhook';
    const [id, seconds, signature] = ['id', 'timestamp', 'signature'].map((name) => headers[`${family}-${name}`]);
    if (signature !== undefined && id === undefined)
      return `this source expects the id of the message in the header \`${family}-id\`, and the delivery has no such header`;
    return signatureFault(
      {
        header: `${family}-signature`,
        value: signature,
        form: '`v1,` and base64',
        made: madeOf(family),
        signatures: (signature ?? '').split(' ').filter((entry) => /^v1a?,./.test(entry)).length,
        time: { header: `${family}-timestamp`, value: seconds, toleranceS: settings.tolerance_s ?? 300 },
      },
      nowMs,
    );
  },
  sign(body, secret, _settings: AuthSettings, nowMs) {
    const key = symmetricKey(secret);
    if (key === undefined) return undefined;
    const [id, seconds] = [`msg_test_${nowMs}`, String(Math.floor(nowMs / 1000))];
    const mac = createHmac('sha256', key)
      .update(joined(`${id}.${seconds}.`, body))
      .digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${mac}` };
  },
};

// Standard Webhooks, "signature scheme": the id and the time are part of what is signed.
function madeOf(family: string): string {
  const signed = `the text of \`${family}-id\` (any id of the message), a dot, the text of \`${family}-timestamp\` (seconds since 1970), a dot and the raw body`;
  return `\`v1,\` and the HMAC-SHA256 of ${signed} in base64; the key is the secret of this source: its part after \`whsec_\`, decoded from base64`;
}

function findPublic(secrets: readonly Secret[], bytes: Uint8Array, presented: readonly Uint8Array[]) {
  for (const { text, version } of secrets) {
    const key = publicKey(text);
    if (key === undefined) continue;
    const object = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') },
      format: 'jwk',
    });
    if (presented.slice(0, 10).some((entry) => verifyBytes(null, bytes, object, entry))) return version;
  }
  return undefined;
}
