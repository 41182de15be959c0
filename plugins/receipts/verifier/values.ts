import { kindOf, type OtherPredicate } from '../kinds/kind.ts';
import type { Values } from './report.ts';
import { isRun, type Statement } from './statement.ts';

/** Reads what is shown of a receipt out of its verified statement. */
export function valuesOf(statement: Statement): Values {
  const { issuer, log, receipt_id } = statement.predicate;
  const head = {
    kind: kindOf(statement.predicateType) ?? '',
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

const shownOfOthers = ['run_id', 'orbiset_id', 'orb_id', 'mode', 'sequence'] as const;

// The schema of the kind has said which of them are there, and what they are.
function others(predicate: OtherPredicate): Partial<Values> {
  return Object.fromEntries(
    shownOfOthers.flatMap((name) => (predicate[name] === undefined ? [] : [[name, predicate[name]]])),
  );
}
