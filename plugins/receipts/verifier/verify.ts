/**
 * Verifies one receipt offline: one library for the command, the server and a page. It trusts the keys it is given and
 * nothing in the artefact, and reads nothing but its arguments.
 */
import { payloadType } from '../contract.ts';
import { readArtefact } from './artefact.ts';
import { checkCopy } from './copy.ts';
import { verifyPortable, type VerifySignature } from './ed25519.ts';
import { conclude, logChecks, malformed, nothing, type Check, type Report } from './report.ts';
import { checkScore } from './score.ts';
import { checkSignature } from './signature.ts';
import { isRun, readStatement, type Statement } from './statement.ts';
import { parseStrict } from './strict-json.ts';
import type { PinnedKey, Trust } from './trust.ts';
import { valuesOf } from './values.ts';

/** How to verify. */
export interface VerifyOptions {
  /** A faster Ed25519 with the same verdicts. */
  readonly verifySignature?: VerifySignature;
}

const longestArtefact = 1_048_576;

/** Verifies the text of an artefact: a receipt as the API answers it, or a bare DSSE envelope. Never throws. */
export function verify(artefact: string, trust: Trust, options: VerifyOptions = {}): Report {
  if (artefact.length > longestArtefact) return malformed('the artefact is larger than a receipt can be');
  return verifyDocument(parseStrict(artefact), trust, options);
}

/** Verifies an artefact that is parsed already. */
export function verifyDocument(document: unknown, trust: Trust, options: VerifyOptions = {}): Report {
  const artefact = readArtefact(document);
  if ('malformed' in artefact) return malformed(artefact.malformed);
  if ('nothing' in artefact) return nothing(artefact.nothing);
  const { envelope, copy } = artefact;
  const signed = checkSignature(envelope, trust, options.verifySignature ?? verifyPortable);
  // What no trusted key signed is not looked into.
  if (signed.key === undefined) return conclude([...signed.checks, ...unreadable, ...unlogged(undefined)], undefined);
  const reading = envelope.payloadType === payloadType ? readStatement(envelope.payload) : { fault: 'not in-toto' };
  if ('fault' in reading) {
    const result = 'unknown' in reading ? 'not_checked' : 'fail';
    const schema: Check = { name: 'statement_schema', result, detail: reading.fault };
    return conclude([...signed.checks, schema, ...unreadable.slice(1), ...unlogged(signed.key)], undefined);
  }
  const { statement, text } = reading;
  const checks: Check[] = [
    signed.checks[0],
    checkIssuer(signed.key, statement),
    { name: 'statement_schema', result: 'pass' },
    checkCopy(copy, statement, text),
    // No other kind has a score.
    ...(isRun(statement) ? [checkScore(statement.predicate)] : []),
    ...unlogged(signed.key),
  ];
  return conclude(checks, valuesOf(statement));
}

const unreadable: readonly Check[] = (['statement_schema', 'readable_copy_matches', 'score_recomputes'] as const).map(
  (name) => ({ name, result: 'not_checked', detail: 'the payload was not accepted' }),
);

// The four verdicts that need a proof of the log, which no receipt carries yet.
function unlogged(key: PinnedKey | undefined): Check[] {
  return logChecks.map((name) => {
    if (name === 'key_status_at_index' && key?.revoked)
      return { name, result: 'fail', detail: 'the key is revoked, and where the receipt stands in the log is unknown' };
    return { name, result: 'not_checked', detail: 'the artefact holds no proof of the log' };
  });
}

function checkIssuer({ kid }: PinnedKey, { predicate }: Statement): Check {
  if (predicate.issuer.kid === kid) return { name: 'key_trusted', result: 'pass' };
  return { name: 'key_trusted', result: 'fail', detail: 'the statement names another key than the one that signed' };
}
