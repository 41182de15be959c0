import type { RunPredicate } from '../format/run-statement.ts';
import type { Checkpoint } from '../log/pure/note.ts';

/** The result of a check. `not_checked`: the check was not possible. */
export type Result = 'pass' | 'fail' | 'not_checked';

/** One verdict on an artefact. */
export interface Check {
  readonly name: CheckName;
  readonly result: Result;
  readonly detail?: string;
}

// Exit code of a failure by the name of the verdict, in the order they are reported.
const failureExit = {
  envelope: 1,
  key_trusted: 4,
  statement_schema: 2,
  readable_copy_matches: 1,
  score_recomputes: 1,
  leaf_matches_envelope: 1,
  inclusion: 1,
  checkpoint_signature: 1,
  key_status_at_index: 4,
  witness_quorum: 1,
  freshness: 1,
  consistency_with_last_seen: 5,
  orbiset_chain: 1,
  completeness: 1,
  disclosure_matches_commitment: 1,
  approval_matches: 1,
  in_this_log: 5,
} as const;
/** Name of a verdict. */
export type CheckName = keyof typeof failureExit;
/** Names of the verdicts, in the order they are reported. */
export const checkNames = Object.keys(failureExit) as readonly CheckName[];

/** The overall word. */
export type Overall = 'VERIFIED' | 'VERIFIED-WITH-LIMITS' | 'REJECTED' | 'NOTHING-TO-VERIFY';

type OfRun = Pick<RunPredicate, 'run_id' | 'orbiset_id' | 'mode' | 'status' | 'sequence'>;
type OfScore = Pick<RunPredicate['score'], 'trust_score' | 'risk_level'>;

/** Values of a receipt, read only from the signed payload; without a tenant it is the installation's own. */
export interface Values extends Readonly<Partial<OfRun & OfScore & Pick<RunPredicate, 'tenant' | 'orb_id'>>> {
  readonly kind: string;
  readonly receipt_id: string;
  readonly timestamp: string;
  readonly kid: string;
  readonly installation: string;
  /** Name of the log it belongs to. */
  readonly origin: string;
}

/** The verified position of a receipt in its log, and in the chain of its Orbiset if it is in one. */
export interface Place {
  readonly checkpoint: Checkpoint;
  readonly index: bigint;
  /** Hash of its entry. */
  readonly leaf: Uint8Array;
  /** Smaller trees that this tree is proved to extend. */
  readonly before: readonly Checkpoint[];
  /** Other trees in which it was shown and verified, with a second proof. */
  readonly others?: readonly Checkpoint[];
  /** The receipt is whole and counts for nothing: its key was revoked at or before this position. */
  readonly revoked?: true;
  readonly link?: {
    readonly orbiset_id: string;
    readonly sequence: number;
    /** `sha256:<hex>` of the payload. */
    readonly digest: string;
    readonly previous_digest?: string;
  };
}

/** The result of a verification. */
export interface Report {
  readonly overall: Overall;
  /**
   * 0 ok · 1 a check failed · 2 malformed · 3 a required check was not possible, or nothing to verify ·
   * 4 key untrusted · 5 fork or rollback.
   */
  readonly exit: 0 | 1 | 2 | 3 | 4 | 5;
  readonly checks: readonly Check[];
  /** What VERIFIED-WITH-LIMITS leaves unproved. */
  readonly limits: readonly string[];
  /** Why there is nothing to verify, or why the artefact could not be read. */
  readonly hint?: string;
  /** The position of the receipt, when all of it was verified, or all but that its key was not yet revoked. */
  readonly place?: Place;
  /** Absent unless the signature was verified with a trusted key and the payload is a statement. */
  readonly values?: Values;
}

/** The verdicts that need the log. */
export const logChecks = ['leaf_matches_envelope', 'inclusion', 'checkpoint_signature', 'key_status_at_index'] as const;

/** Verdicts required of every artefact. The others count when they were made. */
export const requiredOfAll: readonly CheckName[] = [
  'envelope',
  'key_trusted',
  'statement_schema',
  'readable_copy_matches',
  ...logChecks,
];

const unloggedLimit =
  'unlogged: the artefact contains no inclusion proof, so it was not checked whether the receipt is in the log';

/** Further conditions for the conclusion. */
export interface Terms {
  /** Verdicts that need the log may be missing, and then become limits. */
  readonly unlogged?: boolean;
  /** Verdicts that must have been made and passed. */
  readonly required?: readonly CheckName[];
}

/**
 * Sums up verdicts: REJECTED when one failed or a required one was not made; the exit code comes from `worstOf`.
 * Any other verdict that was not made is a limit.
 */
export function conclude(
  checks: readonly Check[],
  values: Values | undefined,
  { required = requiredOfAll, unlogged = false }: Terms = {},
): Report {
  const failed = checks.filter(({ result }) => result === 'fail');
  const missing = required.filter((name) => !checks.some((check) => check.name === name && wasMade(check)));
  const limited = missing.filter((name) => unlogged && (logChecks as readonly CheckName[]).includes(name));
  const exits = new Set<Report['exit']>(failed.map(({ name }) => failureExit[name]));
  if (missing.length > limited.length) exits.add(3);
  const exit = worstOf(exits);
  const limits = exit === 0 ? limitsOf(checks, limited) : [];
  const accepted = limits.length > 0 ? 'VERIFIED-WITH-LIMITS' : 'VERIFIED';
  const overall = exit === 0 ? accepted : 'REJECTED';
  return { overall, exit, checks, limits, ...(values === undefined ? {} : { values }) };
}

/** Makes the verdict of a check that holds. */
export function pass(name: CheckName): Check {
  return { name, result: 'pass' };
}

/** Makes the verdict of a check that failed. */
export function fail(name: CheckName, detail: string): Check {
  return { name, result: 'fail', detail };
}

/** Makes the verdict of a check that was not possible. */
export function unchecked(name: CheckName, detail: string): Check {
  return { name, result: 'not_checked', detail };
}

/** Finds the exit code for several: the first of 2, 4, 1, 5, 3 that is among them, or 0. */
export function worstOf(exits: ReadonlySet<Report['exit']>): Report['exit'] {
  return ([2, 4, 1, 5, 3] as const).find((code) => exits.has(code)) ?? 0;
}

/** Finds the verdict that counts of several of one name: one that failed, one that was not made, or the first. */
export function worstCheck(checks: readonly [Check, ...Check[]]): Check {
  return checks.find(({ result }) => result === 'fail') ?? checks.find((check) => !wasMade(check)) ?? checks[0];
}

function limitsOf(checks: readonly Check[], limited: readonly CheckName[]): readonly string[] {
  const others = checks.filter((check) => !wasMade(check) && !limited.includes(check.name));
  return [
    ...(limited.length > 0 ? [unloggedLimit] : []),
    ...others.map(({ detail = 'it could not be checked', name }) => `${name}: not checked: ${detail}`),
  ];
}

function wasMade({ result }: Check): boolean {
  return result !== 'not_checked';
}

/** Says whether all of an artefact verifies, but that its key was revoked at or before its position in the log. */
export function isRevokedOnly(checks: readonly Pick<Check, 'name' | 'result'>[]): boolean {
  const status = 'key_status_at_index';
  const passed = new Set(checks.flatMap(({ name, result }) => (result === 'pass' ? name : [])));
  const failed = checks.filter(({ result }) => result === 'fail');
  return (
    failed.length > 0 &&
    failed.every(({ name }) => name === status) &&
    requiredOfAll.every((name) => name === status || passed.has(name))
  );
}

/** Reports an artefact that could not be read. */
export function malformed(hint: string): Report {
  return { overall: 'REJECTED', exit: 2, checks: [], limits: [], hint };
}

/** Reports an artefact without anything signed. */
export function nothing(hint: string): Report {
  return { overall: 'NOTHING-TO-VERIFY', exit: 3, checks: [], limits: [], hint };
}
