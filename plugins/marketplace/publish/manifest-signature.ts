import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { canonical, type OrbManifest } from '../../../kernel/index.ts';
import type { ManifestSignature } from '../../ledger/contract.ts';

// Media type of the payload in the envelope of a manifest.
const manifestType = 'application/vnd.agent-orb.manifest+json';

/** A public Ed25519 key as a namespace is granted it. */
export interface ManifestKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** base64url of 32 bytes. */
  readonly x: string;
}

/** Signs a manifest in canonical form: a DSSE envelope with one signature. */
export function signManifest(manifest: OrbManifest, privateKey: KeyObject): ManifestSignature {
  const payload = Buffer.from(canonical(manifest));
  const signature = sign(null, preAuthentication(payload), privateKey);
  return {
    payloadType: manifestType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: thumbprint(manifestKeyOf(privateKey)), sig: signature.toString('base64') }],
  };
}

/** Says why an envelope is no signature of this manifest under this key; undefined: it is one. */
export function faultOfSignature(
  envelope: ManifestSignature,
  manifest: OrbManifest,
  key: ManifestKey | undefined,
): string | undefined {
  if (key === undefined) return 'the namespace has no manifest key; grant one with `orb namespaces grant`';
  if (envelope.payloadType !== manifestType) return `must have the payloadType ${manifestType}`;
  const payload = Buffer.from(canonical(manifest));
  if (!Buffer.from(envelope.payload, 'base64').equals(payload))
    return "signs another text than this installation's manifest in canonical form (RFC 8785)";
  const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
  const valid = envelope.signatures.some(({ sig }) =>
    verify(null, preAuthentication(payload), publicKey, Buffer.from(sig, 'base64')),
  );
  return valid ? undefined : 'does not verify under the key granted to the namespace';
}

/** Computes the public half of a key as a namespace is granted it. */
export function manifestKeyOf(key: KeyObject): ManifestKey {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x === undefined) throw new TypeError('an Ed25519 key has the member x');
  return { kty: 'OKP', crv: 'Ed25519', x };
}

// Computes the id of a key: its RFC 7638 thumbprint, base64url.
function thumbprint({ crv, kty, x }: ManifestKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

// DSSE v1: lengths count bytes.
function preAuthentication(payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${manifestType.length} ${manifestType} ${payload.length} `), payload]);
}
