import { decodeBase64Url, encodeBase64Url, type Bytes } from './base64.ts';

/** Verifies one Ed25519 signature. */
export type Ed25519 = (publicKey: Bytes, message: Bytes, signature: Bytes) => boolean | Promise<boolean>;

/** Encodes a text in UTF-8. */
export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/** Puts bytes together. */
export const joined = (...parts: readonly Uint8Array[]): Bytes => Uint8Array.from(parts.flatMap((part) => [...part]));

/** Says whether bytes are the same. */
export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/** Computes SHA-256. */
export const sha256 = async (data: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', data));

/** Writes bytes as hex digits. */
export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Computes SHA-256 as receipts write it. */
export const digestOf = async (data: Bytes): Promise<string> => `sha256:${hex(await sha256(data))}`;

/** Computes the id of a public key (RFC 7638). */
export const thumbprint = async (publicKey: Uint8Array): Promise<string> =>
  encodeBase64Url(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${encodeBase64Url(publicKey)}"}`)));

/** Decodes a public key of a JWK; undefined if it is none. */
export function publicKeyOf(x: unknown): Bytes | undefined {
  const bytes = decodeBase64Url(x);
  return bytes?.length === 32 ? bytes : undefined;
}

/** Serialises a JSON value in canonical form (RFC 8785); undefined when it has none. */
export function canonical(value: unknown): string | undefined {
  try {
    return written(value);
  } catch {
    return undefined;
  }
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (typeof value === 'object' && value !== null) {
    // Sorted by UTF-16 code units, as the RFC asks.
    const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${members.map(([name, member]) => `${written(name)}:${written(member)}`).join()}}`;
  }
  // JSON.stringify escapes half of a surrogate pair, and writes null for what is too large.
  const isJson = typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value);
  if (!isJson || value === undefined) throw new TypeError('not JSON');
  return JSON.stringify(value);
}

// y of the points of small order, little-endian: a signature by such a key is valid for many messages.
const smallOrder = new Set([
  ...['00', '01'].map((first) => first.padEnd(64, '0')),
  ...['ec', 'ed', 'ee'].map((first) => `${first.padEnd(62, 'f')}7f`),
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);
// RFC 8032 §5.1.7: S < L.
const order = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Says whether an Ed25519 signature over a message was made with this public key. */
export async function isSigned(publicKey: Bytes, message: Bytes, signature: Bytes, ed25519: Ed25519): Promise<boolean> {
  // The highest bit is the sign of x.
  const y = publicKey.map((byte, at) => (at === 31 ? byte & 0x7f : byte));
  const isOdd = signature.length !== 64 || BigInt(`0x${hex(signature.slice(32).reverse())}`) >= order;
  return !isOdd && !smallOrder.has(hex(y)) && ed25519(publicKey, message, signature);
}

/** Verifies by the runtime. */
export const webCrypto: Ed25519 = async (publicKey, message, signature) => {
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, signature, message);
};
