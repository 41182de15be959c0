// RFC 4648. Own code because common decoders accept junk, missing padding and stray bits, and because the portable
// verifier has no Buffer.
const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
// By char code; 64: not in the alphabet.
const values = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = standard.indexOf(String.fromCharCode(code));
  return value < 0 ? 64 : value;
});
const pairs = Array.from({ length: 4096 }, (_, value) => standard.charAt(value >> 6) + standard.charAt(value & 63));

/** Encodes bytes in the standard alphabet with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  const whole = bytes.length - (bytes.length % 3);
  for (let at = 0; at < whole; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += `${pairs[group >> 12]}${pairs[group & 4095]}`;
  }
  if (whole === bytes.length) return text;
  const rest = ((bytes[whole] ?? 0) << 16) | ((bytes[whole + 1] ?? 0) << 8);
  const last = whole + 1 === bytes.length ? '=' : standard.charAt((rest >> 6) & 63);
  return `${text}${pairs[rest >> 12]}${last}=`;
}

/** Encodes bytes in the url-safe alphabet without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes the standard alphabet with padding, or answers undefined unless the text is what `encodeBase64` yields. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const letters = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let held = 0;
  let length = 0;
  for (let at = 0; at < letters; at++) {
    const value = values[text.charCodeAt(at)] ?? 64;
    if (value === 64) return undefined;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = held >> bits;
  }
  // Stray bits in the last letter would allow two encodings of one value.
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
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
