import { decodeBase64Url, encodeBase64Url } from '../../../../receipts/format/base64.ts';
import { isSound } from '../../../../receipts/format/sound-ed25519.ts';

/** Verifies one Ed25519 signature. */
export type Ed25519 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** Encodes a text in UTF-8. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Puts bytes together. */
export const joined = (...parts: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

/** Computes SHA-256 of parts that are put together. */
export const sha256 = async (...parts: readonly Uint8Array[]): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', joined(...parts)));

/** Computes the same as hex digits. */
export const digestOf = async (...parts: readonly Uint8Array[]): Promise<string> =>
  Array.from(await sha256(...parts), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Computes the id of a public key (RFC 7638). */
export const thumbprint = async (publicKey: Uint8Array): Promise<string> =>
  encodeBase64Url(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${encodeBase64Url(publicKey)}"}`)));

/** Decodes a public key of a JWK; undefined if it is none. */
export function publicKeyOf(x: unknown): Uint8Array | undefined {
  const bytes = typeof x === 'string' ? decodeBase64Url(x) : undefined;
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

/** Makes what refuses forms of keys and signatures that prove nothing, before it verifies. */
export const soundly =
  (ed25519: Ed25519): Ed25519 =>
  (publicKey, message, signature) =>
    isSound(publicKey, signature) && ed25519(publicKey, message, signature);

/** Verifies by the runtime. */
export const webCrypto: Ed25519 = async (publicKey, message, signature) => {
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, signature, message);
};
