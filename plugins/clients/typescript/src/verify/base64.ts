/** Bytes. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Encodes bytes in the standard alphabet with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Encodes bytes in the url-safe alphabet without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes the standard alphabet with padding; undefined unless `encodeBase64` yields the text. */
export function decodeBase64(text: unknown): Bytes | undefined {
  try {
    const bytes = Uint8Array.from(atob(text as string), (letter) => letter.charCodeAt(0));
    return encodeBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes the url-safe alphabet without padding; undefined unless `encodeBase64Url` yields the text. */
export function decodeBase64Url(text: unknown): Bytes | undefined {
  const words = String(text).replaceAll('-', '+').replaceAll('_', '/');
  const bytes = decodeBase64(words.padEnd(Math.ceil(words.length / 4) * 4, '='));
  return bytes !== undefined && encodeBase64Url(bytes) === text ? bytes : undefined;
}

/** Decodes either alphabet: standard with padding, or url-safe with or without it (DSSE). */
export function decodeAnyBase64(text: unknown): Bytes | undefined {
  return decodeBase64(text) ?? (typeof text === 'string' ? decodeBase64Url(text.replace(/={1,2}$/, '')) : undefined);
}
