/**
 * Verifies one receipt offline: the same library for the command, the server and a page. It trusts the keys it is given
 * and nothing in the artefact, and reads nothing but its arguments.
 */
import { payloadType } from '../format/names.ts';
import type { RunPredicate } from '../format/run-statement.ts';
import { deriveScoreFact, scoreRun } from '../format/score.ts';
import type { Checkpoint } from '../log/pure/note.ts';
import { portableSha256, type Sha256 } from '../log/pure/tree.ts';
import { checkApproval, namedDecisions, type DecisionsAtHand, type Examined } from './approval.ts';
import { readArtefact, type DecodedEnvelope, type ReadArtefact } from './artefact.ts';
import { checkCopy, checkCopyOfUnknown } from './copy.ts';
import { checkDisclosure } from './disclosure.ts';
import { verifyPortable, type VerifySignature } from '../format/portable-ed25519.ts';
import { checkFreshness, type FreshnessDemand } from './freshness.ts';
import { checkLastSeen, provedBefore, type LastSeen } from './last-seen.ts';
import { fileClaim, type LogClaim } from './log-artefact.ts';
import { checkLogs } from './log-checks.ts';
import {
  conclude,
  fail,
  isRevokedOnly,
  logChecks,
  malformed,
  nothing,
  pass,
  requiredOfAll,
  unchecked,
  worstCheck,
  type Check,
  type CheckName,
  type Report,
  type Terms,
} from './report.ts';
import type { LogPosition } from './position.ts';
import { checkSignature } from './signature.ts';
import { canonicalForm, isRun, readStatement, type Reading, type Statement } from './statement.ts';
import { parseStrict } from '../format/strict-json.ts';
import type { PinnedKey, Trust } from './trust.ts';
import { placeOf, valuesOf } from './values.ts';

/** Options for verifying. */
export interface VerifyOptions {
  /** A faster Ed25519 with the same verdicts. */
  readonly verifySignature?: VerifySignature;
  /** A faster SHA-256. */
  readonly sha256?: Sha256;
  /** Text of a `.tlog-proof` file; when the artefact holds a proof too, both must hold. */
  readonly proof?: string;
  /** Verdicts that need the log may be missing: they become limits. */
  readonly unlogged?: boolean;
  /** Checkpoints verified before. */
  readonly lastSeen?: LastSeen;
  /** A pinned witness must have seen the checkpoint lately. */
  readonly fresh?: FreshnessDemand;
  /** Inputs and outputs that the caller provides, in the form of `disclosed`, to compare with the commitments. */
  readonly opened?: unknown;
  /** Receipts of decisions on held runs, read elsewhere; those saved next to the receipt are taken too. */
  readonly decisions?: DecisionsAtHand;
  /** Verdicts required besides those of every artefact. */
  readonly demands?: readonly CheckName[];
}

const longestArtefact = 1_048_576;

/** Verifies the text of an artefact: an API receipt, a DSSE envelope or a Sigstore bundle. Never throws. */
export function verify(artefact: string, trust: Trust, options: VerifyOptions = {}): Report {
  return examine(artefact, trust, options).report;
}

/** Verifies the text of an artefact, and answers its statement too. Never throws. */
export function examine(artefact: string, trust: Trust, options: VerifyOptions = {}): Examined {
  if (artefact.length > longestArtefact) return { report: malformed('the artefact is larger than a receipt can be') };
  return examineDocument(parseStrict(artefact), trust, options);
}

/** Verifies a parsed artefact. */
export function verifyDocument(document: unknown, trust: Trust, options: VerifyOptions = {}): Report {
  return examineDocument(document, trust, options).report;
}

function examineDocument(document: unknown, trust: Trust, options: VerifyOptions): Examined {
  const artefact = readArtefact(document);
  if ('malformed' in artefact) return { report: malformed(artefact.malformed) };
  if ('nothing' in artefact) return { report: nothing(artefact.nothing) };
  const examined = examineArtefact(artefact, trust, options);
  const alike = waysOf(options);
  const saved = artefact.decisions?.map((decision): Examined => {
    const read = readArtefact(decision);
    return 'envelope' in read ? examineArtefact(read, trust, alike) : { report: malformed('it is not a receipt') };
  });
  return withApproval(examined, options, saved);
}

// What is asked of the run alone is not asked of the decisions on it.
function waysOf({ unlogged = false, sha256, verifySignature }: VerifyOptions): VerifyOptions {
  return {
    unlogged,
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(verifySignature === undefined ? {} : { verifySignature }),
  };
}

/** Adds the verdict on the decisions of a held run to the report on it; `saved`: those saved next to it. */
export function withApproval(examined: Examined, options: VerifyOptions, saved?: readonly Examined[]): Examined {
  const { report, statement } = examined;
  const named = namedDecisions(statement);
  if (statement === undefined || (named === undefined && saved === undefined)) return examined;
  const ids = (saved ?? []).map((one) => one.statement?.predicate.receipt_id ?? '');
  const atHand = new Map([...(options.decisions ?? []), ...ids.map((id, at) => [id, saved?.[at]] as const)]);
  const strange = ids.find((id) => named?.includes(id) !== true);
  const checks =
    strange === undefined
      ? checkApproval(examined, atHand as DecisionsAtHand, options.sha256 ?? portableSha256)
      : [fail('approval_matches', `the run does not name the decision ${strange || 'that could not be read'}`)];
  const { place, values } = report;
  const others = report.checks.filter((check) => check.name !== 'approval_matches');
  const judged = conclude([...others, ...checks], values, terms(options));
  return { statement, report: place === undefined ? judged : { ...judged, place } };
}

function examineArtefact(artefact: ReadArtefact, trust: Trust, options: VerifyOptions): Examined {
  const claims = claimsOf(artefact.claim, options.proof);
  if (claims === undefined) return { report: malformed('the proof file is malformed') };
  const [claim] = claims;
  const { copy, disclosed, envelope, growth = [] } = artefact;
  const { sha256: sha = portableSha256, verifySignature = verifyPortable } = options;
  const ways = { sha, verify: verifySignature };
  const signed = checkSignature(envelope, trust, verifySignature);
  const logged = { envelope, ...signed };
  // A payload without a trusted signature is not parsed.
  const reading = signed.key === undefined ? undefined : readPayload(envelope, trust);
  const known = reading === undefined || 'statement' in reading ? reading : reading.unknown;
  if (signed.key === undefined || reading === undefined || known === undefined) {
    const refused =
      reading !== undefined && 'fault' in reading ? [checkReading(reading), ...unreadable.slice(1)] : unreadable;
    const checks = [...signed.checks, ...refused, ...checkLogs(logged, claims, trust, ways).checks];
    return { report: conclude(checks, undefined, terms(options)) };
  }
  const { statement, text } = known;
  const { checks: ofLog, leaf } = checkLogs({ ...logged, statement }, claims, trust, ways);
  const checks: Check[] = [
    signed.checks[0],
    checkIssuer(signed.key, statement),
    ...('fault' in reading
      ? [checkReading(reading), checkCopyOfUnknown(copy, statement, text)]
      : [pass('statement_schema'), checkCopy(copy, statement, text)]),
    // Only runs have a score.
    ...(isRun(statement) ? [checkScore(statement.predicate)] : []),
    ...ofLog.filter(({ name }) => name !== lastSeenCheck),
    ...checkFreshness(claim, trust, verifySignature, options.fresh),
    ...worstOfLastSeen([
      ...ofLog,
      // The saved proofs lead to the tree that the artefact itself shows.
      ...claims.flatMap((one) => checkLastSeen(one, options.lastSeen, one === artefact.claim ? growth : [])),
    ]),
    ...checkDisclosure([disclosed, options.opened], statement),
  ];
  const report = conclude(checks, valuesOf(statement), terms(options));
  // A receipt of an unknown kind has a known position all the same.
  const whole = report.exit === 0 || ('fault' in reading && !checks.some(({ result }) => result === 'fail'));
  const revoked = isRevokedOnly(checks);
  const passed = new Set(checks.flatMap(({ name, result }) => (result === 'pass' ? name : [])));
  const placed = revoked || (whole && logChecks.every((name) => passed.has(name)));
  if (claim === undefined || leaf === undefined || !placed) return { report, statement };
  const { checkpoint, index } = claim;
  const others = claims.slice(1).map((other) => other.checkpoint);
  const before = claim === artefact.claim ? provedBefore(claim, growth) : [];
  const stands = { checkpoint, index, leaf, before, others, ...(revoked ? { revoked } : {}) };
  return { report: { ...report, place: placeOf(stands, statement, sha(envelope.payload)) }, statement };
}

const lastSeenCheck: CheckName = 'consistency_with_last_seen';

function worstOfLastSeen(checks: readonly Check[]): Check[] {
  const [first, ...others] = checks.filter(({ name }) => name === lastSeenCheck);
  return first === undefined ? [] : [worstCheck([first, ...others])];
}

/** Finds the unverified checkpoint of an artefact, or of its proof file. Undefined when there is none. */
export function claimedCheckpoint(text: string, proof?: string): Checkpoint | undefined {
  return claimedCheckpoints(text, proof)[0];
}

/** Finds the unverified checkpoints of an artefact, to know which log to ask: that of the proof file first. */
export function claimedCheckpoints(text: string, proof?: string): readonly Checkpoint[] {
  return (claimsOf(claimOf(text), proof) ?? []).map(({ checkpoint }) => checkpoint);
}

/** Finds the unverified position that an artefact claims, for sorting artefacts. Undefined when there is none. */
export function claimedPosition(text: string): LogPosition | undefined {
  const claim = claimOf(text);
  return claim === undefined ? undefined : { origin: claim.checkpoint.origin, index: claim.index };
}

// The proof file comes first. Undefined: it is malformed.
function claimsOf(own: LogClaim | undefined, proof: string | undefined): readonly LogClaim[] | undefined {
  const claims = own === undefined ? [] : [own];
  if (proof === undefined) return claims;
  const claim = fileClaim(proof);
  return claim === undefined ? undefined : [claim, ...claims];
}

function claimOf(text: string): LogClaim | undefined {
  const artefact = text.length > longestArtefact ? undefined : readArtefact(parseStrict(text));
  return artefact !== undefined && 'claim' in artefact ? artefact.claim : undefined;
}

function terms({ demands = [], unlogged = false }: VerifyOptions): Terms {
  return { required: [...requiredOfAll, ...demands], unlogged };
}

function readPayload({ payload, payloadType: type }: DecodedEnvelope, { facts }: Trust): Reading {
  return type === payloadType ? readStatement(payload, facts) : { fault: 'not in-toto' };
}

function checkReading(reading: Extract<Reading, { fault: string }>): Check {
  return ('unknown' in reading ? unchecked : fail)('statement_schema', reading.fault);
}

const unreadable: readonly Check[] = (['statement_schema', 'readable_copy_matches', 'score_recomputes'] as const).map(
  (name) => unchecked(name, 'the payload was not accepted'),
);

function checkIssuer({ kid }: PinnedKey, { predicate }: Statement): Check {
  if (predicate.issuer.kid === kid) return pass('key_trusted');
  return fail('key_trusted', 'the statement names a key other than the one that signed');
}

// The facts of a run determine its score, and its `score_fact` except the caller.
function checkScore(predicate: RunPredicate): Check {
  const derived = deriveScoreFact(predicate);
  const fact = predicate.score_fact;
  const recomputes =
    canonicalForm(scoreRun(predicate)) === canonicalForm(predicate.score) &&
    derived.outcome_class === fact.outcome_class &&
    derived.latency_ok === fact.latency_ok;
  return recomputes
    ? pass('score_recomputes')
    : fail('score_recomputes', 'the score or outcome class does not match the facts');
}
