import { equalBytes } from '../log/hashing.ts';
import type { Checkpoint } from '../log/checkpoint.ts';
import type { LogClaim } from './log-artefact.ts';
import type { Check } from './report.ts';

/** Finds the checkpoint of a log that was verified before; undefined when it was never seen. */
export type LastSeen = (origin: string) => Checkpoint | undefined;

/**
 * Compares a checkpoint with the one seen before: two of one size with different roots are a fork. Between sizes a
 * consistency proof would be needed, which no single receipt holds.
 */
export function checkLastSeen(claim: LogClaim | undefined, lastSeen: LastSeen | undefined): Check[] {
  const seen = claim === undefined ? undefined : lastSeen?.(claim.checkpoint.origin);
  if (claim === undefined || seen === undefined) return [];
  const name = 'consistency_with_last_seen';
  if (claim.checkpoint.size !== seen.size)
    return [{ name, result: 'not_checked', detail: `another size (${seen.size}) was seen before` }];
  if (equalBytes(claim.checkpoint.root, seen.root)) return [{ name, result: 'pass' }];
  return [{ name, result: 'fail', detail: `the log has shown two different trees of the size ${seen.size}` }];
}
