/** Says whether a public key and a signature have forms for which Ed25519 proves something; pure, without imports. */
export function isSound(publicKey: Uint8Array, signature: Uint8Array): boolean {
  const areWhole = publicKey.length === 32 && signature.length === 64;
  return areWhole && !isOfSmallOrder(publicKey) && hasCanonicalScalar(signature);
}

// y of the eight points of small order, little-endian; two of them in both encodings (y and y + p).
const smallOrder = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/** Says whether a public key is a point of small order: a signature by such a key is valid for many messages. */
export function isOfSmallOrder(publicKey: Uint8Array): boolean {
  const y = Uint8Array.from(publicKey);
  // The highest bit is the sign of x.
  y[31] = (y[31] ?? 0) & 0x7f;
  return smallOrder.has(Array.from(y, (byte) => byte.toString(16).padStart(2, '0')).join(''));
}

// RFC 8032 §5.1.7 requires S < L. Not every verifier checks it, so S + L would be a second signature of a message.
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
