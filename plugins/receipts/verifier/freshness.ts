import { equalBytes } from '../log/pure/tree.ts';
import { cosignatureTime, openNote } from '../log/pure/note.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import type { LogClaim } from './log-artefact.ts';
import { fail, pass, unchecked, type Check } from './report.ts';
import type { Trust } from './trust.ts';

/** The required age of a checkpoint. Both in seconds; `now` since the Unix epoch. */
export interface FreshnessDemand {
  readonly now: number;
  readonly maxAge: number;
}

// A witness's clock may be ahead of ours by this much.
const skewSeconds = 300;

/**
 * Checks that a pinned witness has signed the checkpoint recently. A time from the log itself proves nothing, so
 * without such a witness the check is not made.
 */
export function checkFreshness(
  claim: LogClaim | undefined,
  trust: Trust,
  verify: VerifySignature,
  demand: FreshnessDemand | undefined,
): Check[] {
  if (demand === undefined) return [];
  const name = 'freshness';
  const newest = claim === undefined ? undefined : newestWitness(claim, trust, verify);
  if (newest === undefined) return [unchecked(name, 'no pinned witness states when it saw the checkpoint')];
  const age = demand.now - Number(newest);
  if (age < -skewSeconds) return [fail(name, 'a witness signature has a time in the future')];
  if (age <= demand.maxAge) return [pass(name)];
  return [fail(name, `a witness last saw the checkpoint ${Math.floor(age)} seconds ago`)];
}

function newestWitness({ note }: LogClaim, { policy }: Trust, verify: VerifySignature): bigint | undefined {
  const opened = openNote(note, [...(policy?.witnesses.values() ?? [])], verify);
  if ('forged' in opened) return undefined;
  const times = opened.by.flatMap(({ id, name }) => {
    // A key's first line is the one that was verified.
    const line = note.signatures.find((signed) => signed.name === name && equalBytes(signed.keyId, id));
    return line === undefined ? [] : [cosignatureTime(line.signature) ?? 0n];
  });
  return times.sort((a, b) => (a > b ? -1 : 1))[0];
}
