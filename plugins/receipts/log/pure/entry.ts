import { encodeBase64 } from '../../format/base64.ts';
import { portableSha256, type Sha256 } from './tree.ts';

// RFC 8410: DER of an Ed25519 public key is a fixed prefix before the 32 bytes.
const spkiPrefix = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/** Writes a public key (32 bytes) as base64 of its DER. */
export function encodeSpki(publicKey: Uint8Array): string {
  return encodeBase64(Uint8Array.of(...spkiPrefix, ...publicKey));
}

/**
 * Writes the log entry for one envelope, in canonical form: Rekor's `dsse` 0.0.2. It contains the digest of the payload
 * (SHA-256), the signature and the key (DER), all as base64, but none of the payload's content.
 */
export function entryText(digest: string, signature: string, spki: string): string {
  return `{"apiVersion":"0.0.2","kind":"dsse","spec":{"dsseV002":{"payloadHash":{"algorithm":"SHA2_256","digest":"${digest}"},"signatures":[{"content":"${signature}","verifier":{"keyDetails":"PKIX_ED25519","publicKey":{"rawBytes":"${spki}"}}}]}}}`;
}

/** Builds the entry of an envelope from its payload, its signature (64 bytes) and the public key (32 bytes). */
export function entryOf(
  payload: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
  sha: Sha256 = portableSha256,
): Uint8Array {
  const text = entryText(encodeBase64(sha(payload)), encodeBase64(signature), encodeSpki(publicKey));
  return new TextEncoder().encode(text);
}
