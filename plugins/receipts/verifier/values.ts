import { bytesToHex } from '@noble/hashes/utils.js';
import { kindOf, predicateType } from '../kinds/kind.ts';
import type { OtherPredicate } from '../kinds/predicate.ts';
import type { Place, Values } from './report.ts';
import { isRun, type Statement } from './statement.ts';

/** Reads the displayed values of a receipt from its verified statement. */
export function valuesOf(statement: Statement): Values {
  const { issuer, log, receipt_id } = statement.predicate;
  const head = {
    kind: kindOf(statement.predicateType) ?? statement.predicateType,
    receipt_id,
    kid: issuer.kid,
    installation: issuer.installation,
    origin: log.origin,
  };
  if (!isRun(statement)) {
    const { at, tenant } = statement.predicate;
    return { ...head, ...others(statement.predicate), ...(tenant === undefined ? {} : { tenant }), timestamp: at };
  }
  const { run_id, tenant, orbiset_id, orb_id, mode, status, sequence, finished_at, score } = statement.predicate;
  const { trust_score, risk_level } = score;
  return {
    ...head,
    ...{ run_id, tenant, orbiset_id, orb_id, mode, status, sequence, trust_score, risk_level },
    timestamp: finished_at,
  };
}

/** Builds the position of a verified receipt: in the log, and in the chain of its Orbiset. `hash`: of its payload. */
export function placeOf(stands: Omit<Place, 'link'>, statement: Statement, hash: Uint8Array): Place {
  const chained = isRun(statement) || statement.predicateType === predicateType('resolution');
  if (!chained) return stands;
  // The schemas of both kinds require these members.
  const { orbiset_id, previous_digest, sequence } = statement.predicate as {
    readonly orbiset_id: string;
    readonly previous_digest?: string;
    readonly sequence: number;
  };
  const digest = `sha256:${bytesToHex(hash)}`;
  const previous = previous_digest === undefined ? {} : { previous_digest };
  return { ...stands, link: { orbiset_id, sequence, digest, ...previous } };
}

const shownOfOthers = ['run_id', 'orbiset_id', 'orb_id', 'mode', 'sequence'] as const;

// The schema of the kind has checked which of these members exist, and their types.
function others(predicate: OtherPredicate): Partial<Values> {
  return Object.fromEntries(
    shownOfOthers.flatMap((name) => (predicate[name] === undefined ? [] : [[name, predicate[name]]])),
  );
}
