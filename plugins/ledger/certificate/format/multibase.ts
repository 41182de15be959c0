const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
// Longer than any key or signature; the limit is needed because decoding takes quadratic time.
const longest = 128;

/** Encodes bytes as multibase base58btc: `z…`. */
export function encodeBase58(bytes: Uint8Array): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (; value > 0n; value /= 58n) text = alphabet.charAt(Number(value % 58n)) + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return `z${'1'.repeat(zeros < 0 ? bytes.length : zeros)}${text}`;
}

/** Decodes multibase base58btc of at most 128 characters; undefined for any other text. */
export function decodeBase58(text: string): Uint8Array | undefined {
  if (!text.startsWith('z') || text.length > longest) return undefined;
  let value = 0n;
  for (const letter of text.slice(1)) {
    const digit = alphabet.indexOf(letter);
    if (digit < 0) return undefined;
    value = value * 58n + BigInt(digit);
  }
  const zeros = /^1*/.exec(text.slice(1))?.[0].length ?? 0;
  const hex = value === 0n ? '' : value.toString(16);
  return new Uint8Array(Buffer.from('00'.repeat(zeros) + hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'));
}

// Multicodec `ed25519-pub` as a varint.
const ed25519 = [0xed, 0x01];

/** Writes an Ed25519 public key (32 bytes) as a Multikey: `z6Mk…`. */
export function multikeyOf(publicKey: Uint8Array): string {
  return encodeBase58(Uint8Array.from([...ed25519, ...publicKey]));
}

/** Reads the 32 bytes of an Ed25519 Multikey; undefined for anything else. */
export function publicKeyOf(multikey: string): Uint8Array | undefined {
  const bytes = decodeBase58(multikey);
  if (bytes?.length !== 34 || bytes[0] !== ed25519[0] || bytes[1] !== ed25519[1]) return undefined;
  return bytes.slice(2);
}

/** Writes a digest `sha256:<hex>` as a multibase multihash (`u…`), as `digestMultibase` takes it. */
export function digestMultibase(digest: string): string {
  const hash = Buffer.from(digest.replace(/^sha256:/, ''), 'hex');
  if (hash.length !== 32) throw new TypeError('a digest has 32 bytes');
  // Multihash: sha2-256, 32 bytes.
  return `u${Buffer.concat([Buffer.from([0x12, 0x20]), hash]).toString('base64url')}`;
}
