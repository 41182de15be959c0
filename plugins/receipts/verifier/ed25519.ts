import nacl from 'tweetnacl';

/** Says whether a signature (64 bytes) over a message is of this public key (32 bytes). */
export type VerifySignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** Verifies Ed25519 without any crypto of the runtime. */
export const verifyPortable: VerifySignature = (publicKey, message, signature) =>
  publicKey.length === nacl.sign.publicKeyLength &&
  signature.length === nacl.sign.signatureLength &&
  hasCanonicalScalar(signature) &&
  nacl.sign.detached.verify(message, signature, publicKey);

// RFC 8032 §5.1.7 wants S < L. tweetnacl does not look, so S + L would be a second signature of the same message.
// L = 2^252 + 27742317777372353535851937790883648493, little-endian.
const order = [
  0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

function hasCanonicalScalar(signature: Uint8Array): boolean {
  for (let at = 31; at >= 0; at--) {
    const difference = (signature[32 + at] ?? 0) - (order[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
