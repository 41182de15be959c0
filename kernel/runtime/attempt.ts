import { createHash } from 'node:crypto';
import { canonical } from '../canonical.ts';
import type { Slot } from './bindings.ts';
import type { Deadline } from './deadline.ts';
import type { Orb } from './orb.ts';
import type { Outcome } from './outcome.ts';
import type { Run, Settled } from './record.ts';
import type { Attempt } from './run.ts';

/** Makes one call to the provider of a slot, bounded by the deadline; always resolves to an Outcome. */
export async function attempt(run: Run, slot: Slot, deadline: Deadline): Promise<Outcome> {
  const { generation, transport, provider } = slot;
  if (generation === undefined) {
    // A provider of the order that could not open is an attempt, and learns of it here when it can be reached again.
    return { outcome: 'not_sent', phase: 'open', message: `${provider.name} could not be opened` };
  }
  const dispatch = {
    inputs: run.inputs,
    signal: deadline.signal,
    idempotency_key: providerKey(run.run_id, provider.name),
  };
  const outcome = await deadline.bound(generation.hook.call(dispatch));
  return outcome ?? { outcome: 'not_sent', phase: 'open', message: `${transport.provider.name} is not bound` };
}

/** An outcome after its outputs were checked. */
export interface Checked {
  readonly outcome: Outcome;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly checked: Settled['outputs_checked'];
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

/** Records one attempt as the receipt shows it. */
export function attemptOf({ provider }: Slot, generation: number, outcome: Outcome, latency_ms: number): Attempt {
  const phase = phaseOf(outcome);
  return {
    provider: provider.name,
    adapter: provider.adapter.name,
    generation,
    config_digest: provider.config_digest,
    outcome: outcome.outcome,
    ...(phase === undefined ? {} : { phase }),
    latency_ms,
  };
}

/** Says where an attempt failed, if it is known. */
export function phaseOf(outcome: Outcome): string | undefined {
  return outcome.outcome === 'accepted' ? undefined : outcome.phase;
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
