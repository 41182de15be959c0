import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyMode } from '../../kernel/index.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;
const bodyLength = 'orb_live_'.length + secretLength;
/** Characters of a key. */
export const tokenLength = bodyLength + checksumLength;
const shape = /^orb_(?:live|test)_[0-9A-Za-z]+$/;

/** Makes a key: `orb_live_` or `orb_test_`, 32 random Base62 characters (190 bits), 6 of the checksum. */
export function generateToken(mode: KeyMode, random: (size: number) => Uint8Array = randomBytes): string {
  const body = `orb_${mode}_${randomText(secretLength, random)}`;
  return body + checksum(body);
}

/** Says whether a text has the form of a key and a valid checksum; cheap for texts of another length. */
export function isToken(text: string): boolean {
  if (text.length !== tokenLength || !shape.test(text)) return false;
  return text.endsWith(checksum(text.slice(0, bodyLength)));
}

/** Computes the stored hash of a key: the SHA-256 of the whole text. */
export function tokenDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Shortens a key to the part that may be shown, e.g. `orb_live_ab12…`. */
export function displayPrefix(token: string): string {
  return `${token.slice(0, 'orb_live_'.length + 4)}…`;
}

/** Computes the checksum of a text: its CRC-32 in Base62, padded to 6 characters. */
export function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (rest > 0) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits.padStart(checksumLength, '0');
}

// A byte modulo 62 would favour the first 8 characters, so bytes from 248 = 4 · 62 on are discarded.
function randomText(length: number, random: (size: number) => Uint8Array): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length)
    for (const byte of random(length))
      if (byte < limit && text.length < length) text += alphabet.charAt(byte % alphabet.length);
  return text;
}
