import { entryOf } from '../log/pure/entry.ts';
import { equalBytes, hashLeaf, type Sha256 } from '../log/pure/tree.ts';
import { openNote } from '../log/pure/note.ts';
import { hasQuorum } from '../log/pure/policy-file.ts';
import { verifyInclusion } from '../log/pure/verify-proof.ts';
import type { DecodedEnvelope } from './artefact.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import { agrees, type LogClaim } from './log-artefact.ts';
import { isBefore } from './position.ts';
import { fail, logChecks, pass, unchecked, worstCheck, type Check } from './report.ts';
import type { checkSignature } from './signature.ts';
import type { Statement } from './statement.ts';
import type { PinnedKey, Trust } from './trust.ts';

interface Logged extends Pick<ReturnType<typeof checkSignature>, 'key' | 'signature'> {
  readonly claim: LogClaim | undefined;
  readonly envelope: DecodedEnvelope;
  /** Undefined when the payload was not accepted. */
  readonly statement?: Statement;
}

type LogChecks = { readonly checks: readonly Check[]; readonly leaf?: Uint8Array };
type Ways = { readonly sha: Sha256; readonly verify: VerifySignature };

/**
 * Makes the verdicts that need the log, from every proof that is given: each must hold, and all must be of one place.
 * `leaf`: hash of the entry made from envelope and key, if it can be made. The quorum is that of the first proof.
 */
export function checkLogs(
  logged: Omit<Logged, 'claim'>,
  [claim, ...others]: readonly LogClaim[],
  trust: Trust,
  ways: Ways,
): LogChecks {
  const { checks, leaf } = checkLog({ ...logged, claim }, trust, ways);
  const found = others.flatMap((other) => [
    ...checkLog({ ...logged, claim: other }, trust, ways).checks,
    ...checkSameLog(claim, other),
  ]);
  const made = checks.map((check) =>
    check.name === 'witness_quorum' ? check : worstCheck([check, ...found.filter(({ name }) => name === check.name)]),
  );
  const forked = found.filter(({ name }) => name === 'consistency_with_last_seen');
  return { checks: [...made, ...forked.slice(0, 1)], ...(leaf === undefined ? {} : { leaf }) };
}

function checkSameLog(one: LogClaim | undefined, other: LogClaim): Check[] {
  if (one === undefined) return [];
  const moved = fail('inclusion', 'the proofs are for different positions in the log');
  const place = one.index === other.index ? [] : [moved];
  const [a, b] = [one.checkpoint, other.checkpoint];
  if (a.size !== b.size || equalBytes(a.root, b.root)) return place;
  return [...place, fail('consistency_with_last_seen', `the proofs show two different trees of size ${a.size}`)];
}

function checkLog(logged: Logged, trust: Trust, { sha, verify }: Ways): LogChecks {
  const { claim, key, signature, statement } = logged;
  if (claim === undefined) return { checks: unlogged(key, 'the artefact contains no inclusion proof') };
  if (key === undefined || signature === undefined || statement === undefined)
    return { checks: unlogged(key, 'the payload was not accepted') };
  const entry = entryOf(logged.envelope.payload, signature, key.publicKey, sha);
  const hash = hashLeaf(entry, sha);
  const leaf = checkLeaf(claim, entry, statement);
  const inclusion = checkInclusion(claim, hash, sha);
  const { logs = [], witnesses } = trust.policy ?? {};
  const by = openNote(claim.note, [...logs, ...(witnesses?.values() ?? [])], verify);
  const signed = checkSigned(claim, by, trust);
  const placed = [leaf, inclusion, signed].every(({ result }) => result === 'pass');
  const status = checkStatus(key, placed ? claim : undefined);
  return { checks: [leaf, inclusion, signed, status, ...checkQuorum(by, trust)], leaf: hash };
}

function unlogged(key: PinnedKey | undefined, detail: string): Check[] {
  return logChecks.map((name) =>
    name === 'key_status_at_index' ? checkStatus(key, undefined) : unchecked(name, detail),
  );
}

function checkLeaf({ checkpoint, leaf, origin }: LogClaim, entry: Uint8Array, { predicate }: Statement): Check {
  const name = 'leaf_matches_envelope';
  if (leaf !== undefined && !equalBytes(leaf, entry)) return fail(name, 'the log entry does not match this envelope');
  if (predicate.log.origin !== checkpoint.origin || (origin ?? checkpoint.origin) !== checkpoint.origin)
    return fail(name, 'the receipt belongs to a log other than the one in the artefact');
  return pass(name);
}

/** Checks that a leaf is in the tree of a claim. */
export function checkInclusion(claim: LogClaim, leaf: Uint8Array, sha: Sha256): Check {
  const name = 'inclusion';
  if (!agrees(claim)) return fail(name, 'the proof and the checkpoint are for different trees');
  const proved = verifyInclusion({ ...claim, ...claim.checkpoint, leaf }, sha);
  return proved ? pass(name) : fail(name, 'the proof does not lead to the root of the checkpoint');
}

type Signers = ReturnType<typeof openNote>;

/** Checks that the pinned key of its log signed a checkpoint. */
export function checkSigned({ checkpoint }: Pick<LogClaim, 'checkpoint'>, signed: Signers, { policy }: Trust): Check {
  const name = 'checkpoint_signature';
  const pinned = (policy?.logs ?? []).filter((key) => key.name === checkpoint.origin);
  if (pinned.length === 0) return unchecked(name, `no key of the log ${checkpoint.origin} is pinned`);
  if ('forged' in signed) return fail(name, `the signature of ${signed.forged.name} is forged`);
  const isSigned = pinned.some((key) => signed.by.includes(key));
  return isSigned ? pass(name) : fail(name, 'the pinned key of its log did not sign the checkpoint');
}

// Revocation takes effect at a position, so without a position a revoked key is invalid.
function checkStatus(key: PinnedKey | undefined, placed: LogClaim | undefined): Check {
  const name = 'key_status_at_index';
  if (key === undefined) return unchecked(name, 'no trusted key signed');
  if (placed === undefined)
    return key.revoked
      ? fail(name, 'the key is revoked, and the position of the receipt in the log is unknown')
      : unchecked(name, 'the position in the log was not proved');
  if (!key.revoked) return pass(name);
  const position = { origin: placed.checkpoint.origin, index: placed.index };
  const bound = key.stands?.find(({ origin }) => origin === position.origin) ?? key.revokedAt;
  if (bound !== undefined && isBefore(position, bound)) return pass(name);
  return fail(name, 'the key was revoked at or before this position of the log');
}

/** Checks that the witnesses of a policy signed a checkpoint; no verdict when it requires none. */
export function checkQuorum(signed: Signers, { policy }: Trust): Check[] {
  if (policy?.quorum === undefined) return [];
  const met = 'by' in signed && hasQuorum(policy, signed.by);
  const name = 'witness_quorum';
  return [met ? pass(name) : fail(name, `${policy.quorum} has not cosigned`)];
}
