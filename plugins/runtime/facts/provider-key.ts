import { hash } from 'node:crypto';

const base32 = Buffer.from('abcdefghijklmnopqrstuvwxyz234567');

/** Derives the provider-side key: SHA-256 of run id ‖ 0 ‖ provider name, base32 lower case, 52 characters. */
export function providerKey(runId: string, provider: string): string {
  const bytes = hash('sha256', `${runId}\0${provider}`, 'buffer');
  const text = Buffer.allocUnsafe(52);
  for (let at = 0; at < text.length; at++) {
    const bit = 5 * at;
    const two = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    text[at] = base32[(two >> (11 - (bit & 7))) & 31] ?? 0;
  }
  return text.toString('latin1');
}
