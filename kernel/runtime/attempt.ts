import { hash } from 'node:crypto';
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
