import type { Statement } from './statement.ts';
import { canonicalForm, isRun } from './statement.ts';
import { fail, pass, type Check } from './report.ts';

// The server's own judgement at the time of reading: not signed, and ignored.
const opinions = ['signature_valid', 'checks', 'effective', 'resolution'];

/** Checks that every member next to the envelope, meant for reading, equals what the verified payload yields. */
export function checkCopy(copy: Readonly<Record<string, unknown>>, statement: Statement, text: string): Check {
  const yields = yieldedBy(statement);
  const differs = Object.entries(copy).find(([name, value]) => {
    if (opinions.includes(name)) return false;
    // When a receipt is shown, this is the very statement that was read.
    if (name === 'statement') return value !== statement && canonicalForm(value) !== text;
    return !Object.hasOwn(yields, name) || value !== yields[name];
  });
  if (differs === undefined) return pass('readable_copy_matches');
  return fail('readable_copy_matches', `${differs[0]} differs from the payload`);
}

/** Checks the readable members of a receipt of an unknown kind: only those that copy its head can be compared. */
export function checkCopyOfUnknown(
  { receipt_id, statement: shown, ...rest }: Readonly<Record<string, unknown>>,
  statement: Statement,
  text: string,
): Check {
  const known = {
    ...(receipt_id === undefined ? {} : { receipt_id }),
    ...(shown === undefined ? {} : { statement: shown }),
  };
  const check = checkCopy(known, statement, text);
  const [other] = Object.keys(rest).filter((name) => !opinions.includes(name));
  if (check.result === 'fail' || other === undefined) return check;
  return { ...check, result: 'not_checked', detail: `what ${other} copies is not known of this kind` };
}

function yieldedBy(statement: Statement): Readonly<Record<string, unknown>> {
  const { receipt_id } = statement.predicate;
  if (!isRun(statement)) return { receipt_id, timestamp: statement.predicate.at };
  const { finished_at: timestamp, score } = statement.predicate;
  return { receipt_id, trust_score: score.trust_score, risk_level: score.risk_level, timestamp };
}
