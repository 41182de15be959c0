import { createPublicKey, verify } from 'node:crypto';
import type { Answered } from '../../kernel/index.ts';
import { preAuthentication } from '../receipts/contract.ts';
import type { NamespaceFact } from './fact/namespace.ts';

/** Media type of the payload in the envelope of a manifest. */
export const manifestType = 'application/vnd.agent-orb.manifest+json';

/** A public Ed25519 key as it is granted to a namespace. */
export type ManifestKey = NonNullable<NamespaceFact['facts']['manifest_key']>;

/** Schema of a DSSE envelope over the manifest in canonical form; `payload` and `sig` are base64. */
export const manifestSignature = {
  type: 'object',
  required: ['payloadType', 'payload', 'signatures'],
  properties: {
    payloadType: { type: 'string' },
    payload: { type: 'string', maxLength: 1_000_000 },
    signatures: {
      type: 'array',
      maxItems: 16,
      items: {
        type: 'object',
        required: ['sig'],
        properties: { keyid: { type: 'string' }, sig: { type: 'string', maxLength: 1000 } },
      },
    },
  },
} as const;
/** A DSSE envelope over the manifest in canonical form, payload type `application/vnd.agent-orb.manifest+json`. */
export type ManifestSignature = Answered<typeof manifestSignature>;

/** Verifies a DSSE envelope over a manifest in canonical form under one Ed25519 key. */
export function verifiesManifest(
  { payload, payloadType, signatures }: ManifestSignature,
  text: string,
  key: ManifestKey,
): boolean {
  const body = Buffer.from(text);
  if (payloadType !== manifestType || !Buffer.from(payload, 'base64').equals(body)) return false;
  try {
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
    const signed = preAuthentication(manifestType, body);
    return signatures.some(({ sig }) => verify(null, signed, publicKey, Buffer.from(sig, 'base64')));
  } catch {
    // An invalid key verifies nothing.
    return false;
  }
}
