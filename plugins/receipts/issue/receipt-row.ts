import type { DraftedOther } from './other-statement.ts';
import type { SplitStatement } from './split-statement.ts';

/** A statement to be signed and stored, and the members that reads search by. */
export interface ToAppend {
  readonly kind: string;
  /** In canonical form; split iff it belongs in the chain of its Orbiset: the writer adds its position. */
  readonly statement: string | SplitStatement;
  readonly receipt_id: string;
  readonly run_id?: string;
  /** Absent: the installation's own. */
  readonly tenant?: string;
  readonly orbiset_id?: string;
  readonly orb_id?: string;
  readonly status?: string;
  /** Name of the log in the statement; the writer replaces it when it writes to another log. */
  readonly origin: string;
  readonly timestamp: string;
  readonly trust_score?: number;
  readonly risk_level?: string;
  /** Id of the key in the statement; the writer replaces it likewise. */
  readonly kid: string;
}

/** Prepares a drafted statement of a kind other than the run for the writer. */
export function otherToAppend(kind: string, { predicate, statement }: DraftedOther): ToAppend {
  const { tenant, orb_id: orbId, orbiset_id: orbisetId, run_id: runId } = predicate;
  return {
    kind,
    statement,
    receipt_id: predicate.receipt_id,
    ...(tenant === undefined ? {} : { tenant }),
    ...(typeof runId === 'string' ? { run_id: runId } : {}),
    ...(typeof orbisetId === 'string' ? { orbiset_id: orbisetId } : {}),
    ...(typeof orbId === 'string' ? { orb_id: orbId } : {}),
    origin: predicate.log.origin,
    timestamp: predicate.at,
    kid: predicate.issuer.kid,
  };
}
