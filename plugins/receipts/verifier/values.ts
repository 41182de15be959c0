import { kindOf } from '../kinds/kind.ts';
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
    const { at, orb_id: orbId, tenant } = statement.predicate;
    return {
      ...head,
      ...(tenant === undefined ? {} : { tenant }),
      ...(typeof orbId === 'string' ? { orb_id: orbId } : {}),
      timestamp: at,
    };
  }
  const { run_id, tenant, orbiset_id, orb_id, mode, status, sequence, finished_at, score } = statement.predicate;
  const { trust_score, risk_level } = score;
  return {
    ...head,
    ...{ run_id, tenant, orbiset_id, orb_id, mode, status, sequence, trust_score, risk_level },
    timestamp: finished_at,
  };
}
