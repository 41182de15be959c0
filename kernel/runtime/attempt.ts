import { createHash } from 'node:crypto';
import { canonical } from '../canonical.ts';
import type { Orb } from './orb.ts';
import type { Outcome } from './outcome.ts';

/** An outcome after its outputs were checked. */
export interface Checked {
  readonly outcome: Outcome;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly checked: 'valid' | 'invalid' | 'absent' | 'unchecked';
}

/** Checks outputs: what cannot be signed, or breaks the Orb's schema, is the provider's failure; it is committed to if it can be. */
export function checked(outcome: Outcome, orb: Orb): Checked {
  if (outcome.outcome !== 'accepted') return { outcome, checked: 'unchecked' };
  const { outputs } = outcome;
  const invalid = (message: string): Outcome => ({ outcome: 'invalid_outputs', message });
  try {
    canonical(outputs);
  } catch {
    return { outcome: invalid('the provider answered outputs that JSON cannot hold'), checked: 'invalid' };
  }
  if (orb.outputs.absent) return { outcome, outputs, checked: 'absent' };
  const faults = orb.outputs.validate(outputs);
  if (faults.length === 0) return { outcome, outputs, checked: 'valid' };
  const where = faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ');
  return { outcome: invalid(`the provider's outputs break the Orb's schema (${where})`), outputs, checked: 'invalid' };
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Derives the provider-side key: SHA-256 of run id ‖ 0 ‖ provider name, base32 lower case, 52 characters. */
export function providerKey(runId: string, provider: string): string {
  const hash = createHash('sha256').update(`${runId}\0${provider}`).digest();
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of hash) {
    held = ((held << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32.charAt((held >> bits) & 31);
    }
  }
  return text + base32.charAt((held << (5 - bits)) & 31);
}
