import { hash } from 'node:crypto';
import type { Orb } from '../catalog/orb.ts';
import { canonical, type Outcome } from '../../../kernel/index.ts';

/** An outcome after its outputs were checked. */
export interface Checked {
  readonly outcome: Outcome;
  /** In canonical form. */
  readonly outputs?: string;
  readonly checked: 'valid' | 'invalid' | 'absent' | 'unchecked';
}

/**
 * Checks outputs. Outputs that cannot be signed, or break the Orb's schema, are the provider's failure; they are
 * committed to if possible.
 */
export function checked(outcome: Outcome, orb: Orb): Checked {
  if (outcome.outcome !== 'accepted') return { outcome, checked: 'unchecked' };
  const invalid = (message: string): Outcome => ({ outcome: 'invalid_outputs', message });
  try {
    const faults = orb.outputs.absent ? [] : orb.outputs.validate(outcome.outputs);
    // Last, because the schema may have filled in defaults.
    const outputs = canonical(outcome.outputs);
    if (faults.length === 0) return { outcome, outputs, checked: orb.outputs.absent ? 'absent' : 'valid' };
    const where = faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ');
    const broken = invalid(`the provider's outputs break the Orb's schema (${where})`);
    return { outcome: broken, outputs, checked: 'invalid' };
  } catch {
    return { outcome: invalid('the provider returned outputs that cannot be written as JSON'), checked: 'invalid' };
  }
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
