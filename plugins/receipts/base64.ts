// RFC 4648. Written out because the decoders at hand accept junk, missing padding and stray bits, and because the
// portable verifier has no Buffer.
const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Map([...standard].map((letter, value) => [letter.charCodeAt(0), value]));

/** Encodes bytes in the standard alphabet with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += standard.charAt(group >> 18) + standard.charAt((group >> 12) & 63);
    text += (left > 1 ? standard.charAt((group >> 6) & 63) : '=') + (left > 2 ? standard.charAt(group & 63) : '=');
  }
  return text;
}

/** Encodes bytes in the url-safe alphabet without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes the standard alphabet with padding, or answers undefined unless the text is what `encodeBase64` yields. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const bytes = new Uint8Array((text.length / 4) * 3);
  const letters = text.replace(/={1,2}$/, '');
  let bits = 0;
  let held = 0;
  let length = 0;
  for (let at = 0; at < letters.length; at++) {
    const value = values.get(letters.charCodeAt(at));
    if (value === undefined) return undefined;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = held >> bits;
  }
  const decoded = bytes.subarray(0, length);
  // Stray bits in the last letter, or padding where there is none to pad, would give one value two spellings.
  return encodeBase64(decoded) === text ? decoded : undefined;
}

/** Decodes the url-safe alphabet without padding, or answers undefined unless `encodeBase64Url` yields the text. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  if (/[+/=]/.test(text)) return undefined;
  const padded = text.replaceAll('-', '+').replaceAll('_', '/');
  return decodeBase64(padded.padEnd(Math.ceil(padded.length / 4) * 4, '='));
}

/** Decodes either alphabet: standard with padding, or url-safe with or without it. */
export function decodeAnyBase64(text: string): Uint8Array | undefined {
  const urlSafe = text.includes('-') || text.includes('_') || text.length % 4 !== 0;
  return urlSafe ? decodeBase64Url(text.replace(/={1,2}$/, '')) : decodeBase64(text);
}
