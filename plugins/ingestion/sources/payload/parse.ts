import { isUtf8 } from 'node:buffer';
import { Undecodable } from './undecodable.ts';

// Deepest nesting of any payload.
const mostLevels = 64;

const quote = 0x22;
const backslash = 0x5c;

/**
 * Parses a JSON payload after a scan of its bytes: at most 64 levels, at most `keys` members and elements. Drops a
 * leading byte order mark; integers that a double cannot represent become texts, and U+0000 becomes U+FFFD: no database
 * holds it. Throws Undecodable.
 */
export function parsePayload(bytes: Uint8Array, keys: number): unknown {
  if (!isUtf8(bytes)) throw new Undecodable('not_utf8', 'the body is not UTF-8');
  scan(bytes, keys);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8').replace(/^\ufeff/, '');
  try {
    const whole = readable(text);
    return /\d{16}/.test(whole) ? JSON.parse(whole, exact) : JSON.parse(whole);
  } catch {
    throw new Undecodable('malformed_json', 'the body is not JSON');
  }
}

// Escapes go in pairs: in `\\u0000` the first backslash escapes the second.
function readable(text: string): string {
  if (!text.includes('\\u0000')) return text;
  return text.replace(/\\(?:u0000|[^])/g, (escape) => (escape === '\\u0000' ? '\\ufffd' : escape));
}

/** Replaces U+0000 by U+FFFD in a text that a vendor sent outside of JSON. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

function scan(bytes: Uint8Array, keys: number): void {
  const lists: boolean[] = [];
  let found = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (quoted) {
      if (byte === backslash) at++;
      else if (byte === quote) quoted = false;
    } else if (byte === quote) quoted = true;
    else if (byte === 0x5b || byte === 0x7b) {
      if (lists.push(byte === 0x5b) > mostLevels)
        throw new Undecodable('too_deep', `the body nests deeper than ${mostLevels} levels`);
    } else if (byte === 0x5d || byte === 0x7d) lists.pop();
    // A colon for each member, a comma for each further element of a list.
    else if (byte === 0x3a || (byte === 0x2c && lists.at(-1) === true)) found++;
  }
  if (found > keys) throw new Undecodable('too_many_keys', `the body has more than ${keys} members and elements`);
}

// Vendors use integers beyond 2^53 as ids, so these keep their source text.
function exact(this: unknown, _name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(context?.source ?? '') ? context?.source : value;
}
