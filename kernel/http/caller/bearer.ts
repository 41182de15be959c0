// RFC 6750 §2.1; the length limit keeps a caller from having long texts hashed.
const longest = 512;
const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i;

/** Reads the token of a header Authorization; undefined: it has none that could be one. */
export function tokenOf(header: string): string | undefined {
  return bearer.exec(header)?.[1];
}

const send = 'send Authorization: Bearer <key>';
const schemes: readonly string[] = ['Basic', 'Digest', 'Negotiate', 'NTLM', 'DPoP', 'Token', 'ApiKey'];

/**
 * Says what is wrong with a header Authorization that has no token. The text never repeats the header, which may be a
 * key.
 */
export function headerFault(header: string): string {
  const [first = '', ...rest] = header.trim().split(/\s+/);
  if (first.toLowerCase() === 'bearer') return `${tokenFault(rest)}; ${send}`;
  if (/^orb_(?:live|test)_/.test(first))
    return `the header Authorization has a key without "Bearer " before it; ${send}`;
  const scheme = schemes.find((one) => one.toLowerCase() === first.toLowerCase());
  if (scheme === undefined) return `the header Authorization does not begin with "Bearer "; ${send}`;
  return `the header Authorization uses the scheme ${scheme}, but this server accepts only Bearer; ${send}`;
}

function tokenFault(parts: readonly string[]): string {
  const text = parts.join(' ');
  if (text === '') return 'the header Authorization has no key after "Bearer"';
  if (text.length > longest) return 'the text after "Bearer" is longer than any key';
  return 'the text after "Bearer" contains quotes, spaces or other characters that are never part of a key';
}

/** Says that a request came without a key, and which header it came in when that is not read. */
export function absenceFault(headers: Readonly<Record<string, unknown>>): string {
  const other = ['x-api-key', 'api-key', 'apikey'].find((name) => headers[name] !== undefined);
  if (other === undefined) return `the request has no API key; ${send}`;
  const name = other.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return `the request has no API key: the server does not read the header \`${name}\`; ${send}`;
}
