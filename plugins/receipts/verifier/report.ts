import type { Checkpoint } from '../log/checkpoint.ts';

/** What a check found. `not_checked`: it could not be made. */
export type Result = 'pass' | 'fail' | 'not_checked';

/** One verdict on an artefact. */
export interface Check {
  readonly name: CheckName;
  readonly result: Result;
  readonly detail?: string;
}

/** Names of the verdicts, in the order they are reported. */
export const checkNames = [
  'envelope',
  'key_trusted',
  'statement_schema',
  'readable_copy_matches',
  'score_recomputes',
  'leaf_matches_envelope',
  'inclusion',
  'checkpoint_signature',
  'key_status_at_index',
  'witness_quorum',
  'consistency_with_last_seen',
  'disclosure_matches_commitment',
] as const;
/** One of the names. */
export type CheckName = (typeof checkNames)[number];

/** The overall word. */
export type Overall = 'VERIFIED' | 'VERIFIED-WITH-LIMITS' | 'REJECTED' | 'NOTHING-TO-VERIFY';

/** What is known of a receipt, read from the signed payload and nothing else. */
export interface Values {
  readonly kind: string;
  readonly receipt_id: string;
  readonly timestamp: string;
  readonly kid: string;
  readonly installation: string;
  /** Name of the log it belongs in. */
  readonly origin: string;
  /** Absent: the installation's own. */
  readonly tenant?: string;
  readonly orb_id?: string;
  // The rest: of a run.
  readonly run_id?: string;
  readonly orbiset_id?: string;
  readonly mode?: string;
  readonly status?: string;
  readonly sequence?: number;
  readonly trust_score?: number;
  readonly risk_level?: string;
}

/** The result of a verification. */
export interface Report {
  readonly overall: Overall;
  /** 0 ok · 1 a check failed · 2 malformed · 3 a required check was not possible, or nothing to verify · 4 key untrusted · 5 fork or rollback. */
  readonly exit: 0 | 1 | 2 | 3 | 4 | 5;
  readonly checks: readonly Check[];
  /** What VERIFIED-WITH-LIMITS does not say. */
  readonly limits: readonly string[];
  /** Why there is nothing to verify, or why the artefact could not be read. */
  readonly hint?: string;
  /** The checkpoint, when its signature was verified and the receipt is under it. */
  readonly checkpoint?: Checkpoint;
  /** Absent unless the signature was verified with a trusted key and the payload is a statement. */
  readonly values?: Values;
}

/** The verdicts that need the log. */
export const logChecks = ['leaf_matches_envelope', 'inclusion', 'checkpoint_signature', 'key_status_at_index'] as const;

// What every artefact must pass. The others count when they are made.
const required: readonly CheckName[] = [
  'envelope',
  'key_trusted',
  'statement_schema',
  'readable_copy_matches',
  ...logChecks,
];

const failureExit: Readonly<Record<CheckName, 1 | 2 | 4 | 5>> = {
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
  consistency_with_last_seen: 5,
  disclosure_matches_commitment: 1,
};

const unloggedLimit = 'unlogged: the artefact holds no proof that the receipt is in the log, so that was not checked';

/**
 * Sums up verdicts: REJECTED when one failed or a required one was not made; the exit is the first of 2, 4, 1, 5, 3.
 * `unlogged`: those that need the log may be missing, and become limits.
 */
export function conclude(
  checks: readonly Check[],
  values: Values | undefined,
  { unlogged = false }: { readonly unlogged?: boolean } = {},
): Report {
  const failed = checks.filter(({ result }) => result === 'fail');
  const missing = required.filter((name) => !checks.some((check) => check.name === name && wasMade(check)));
  const limited = missing.filter((name) => unlogged && (logChecks as readonly CheckName[]).includes(name));
  const exits = new Set<Report['exit']>(failed.map(({ name }) => failureExit[name]));
  if (missing.length > limited.length) exits.add(3);
  const exit = ([2, 4, 1, 5, 3] as const).find((code) => exits.has(code)) ?? 0;
  const limits = exit === 0 && limited.length > 0 ? [unloggedLimit] : [];
  const accepted = limits.length > 0 ? 'VERIFIED-WITH-LIMITS' : 'VERIFIED';
  return {
    overall: exit === 0 ? accepted : 'REJECTED',
    exit,
    checks,
    limits,
    ...(values === undefined ? {} : { values }),
  };
}

function wasMade({ result }: Check): boolean {
  return result !== 'not_checked';
}

/** Reports an artefact that could not be read. */
export function malformed(hint: string): Report {
  return { overall: 'REJECTED', exit: 2, checks: [], limits: [], hint };
}

/** Reports an artefact that holds nothing signed. */
export function nothing(hint: string): Report {
  return { overall: 'NOTHING-TO-VERIFY', exit: 3, checks: [], limits: [], hint };
}
