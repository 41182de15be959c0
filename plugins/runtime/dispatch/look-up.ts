import { providerKey } from '../facts/provider-key.ts';
import type { Store } from '../../../kernel/index.ts';
import type { Outcome } from '../../../kernel/runner.ts';
import type { Lease } from '../provider/generation.ts';

/** An unanswered call, and whether it is no longer under way. */
export interface Unanswered {
  readonly ended: boolean;
  readonly outcome: Outcome;
}

const graceMs = 100;

// The lease of a node, plus a minute for calls in transit.
const restMs = 10_000 + 60_000;

/**
 * Says whether the word of a provider that it has nothing settles a run that was interrupted. Where nodes serve beside
 * each other, one that is paused between its last check and the call may still send until the run and its lease are over.
 */
export function believesAbsent(
  { shared }: Pick<Store, 'shared'>,
  { manifest, since }: { readonly manifest: { readonly timeout_ms: number }; readonly since: string },
  now: number,
): boolean {
  return !shared || now > Date.parse(since) + manifest.timeout_ms + restMs;
}

/** Asks a provider by the key of an unanswered call what became of it. */
export async function lookUp(
  { generation }: Lease,
  runId: string,
  remainingMs: number,
  { ended, outcome: unknown }: Unanswered,
): Promise<{ readonly outcome: Outcome; readonly lookup?: 'absent' | 'present' }> {
  const key = providerKey(runId, generation.provider.name);
  const found = await generation.transport.lookup(key, Math.max(graceMs, remainingMs));
  // `absent` is no proof while the call is still under way.
  if (found === undefined || (found === 'absent' && !ended)) return { outcome: unknown };
  return found === 'absent'
    ? { outcome: unknown, lookup: 'absent' }
    : { outcome: { outcome: 'accepted', outputs: found }, lookup: 'present' };
}
