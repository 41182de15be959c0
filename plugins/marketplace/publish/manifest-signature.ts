import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { canonical } from '../../../kernel/index.ts';
import { manifestType, verifiesManifest, type ManifestKey, type ManifestSignature } from '../../ledger/contract.ts';
import { preAuthentication, thumbprint } from '../../receipts/contract.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

/** Signs a manifest in canonical form: a DSSE envelope with one signature. */
export function signManifest(manifest: OrbManifest, privateKey: KeyObject): ManifestSignature {
  const payload = Buffer.from(canonical(manifest));
  const signature = sign(null, preAuthentication(manifestType, payload), privateKey);
  return {
    payloadType: manifestType,
    payload: payload.toString('base64'),
    signatures: [
      { keyid: thumbprint(Buffer.from(manifestKeyOf(privateKey).x, 'base64url')), sig: signature.toString('base64') },
    ],
  };
}

/** Returns why an envelope is not a valid signature of this manifest under this key; undefined: it is valid. */
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
  return verifiesManifest(envelope, canonical(manifest), key)
    ? undefined
    : 'does not verify under the key granted to the namespace';
}

/** Returns the public key as a JWK, the form in which a namespace grant holds it. */
export function manifestKeyOf(key: KeyObject): ManifestKey {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x === undefined) throw new TypeError('an Ed25519 key has the member x');
  return { kty: 'OKP', crv: 'Ed25519', x };
}
