/**
 * Verifies one receipt offline: one library for the command, the server and a page. It trusts the keys it is given and
 * nothing in the artefact, and reads nothing but its arguments.
 */
import { payloadType, type RunPredicate, type RunStatement } from '../contract.ts';
import { preAuthentication } from '../dsse.ts';
import { deriveScoreFact } from '../score-fact.ts';
import { scoreRun } from '../score.ts';
import { readArtefact, type DecodedEnvelope } from './artefact.ts';
import { verifyPortable, type VerifySignature } from './ed25519.ts';
import { conclude, logChecks, malformed, nothing, type Check, type Report, type Values } from './report.ts';
import { canonicalForm, readStatement } from './statement.ts';
import { parseStrict } from './strict-json.ts';
import type { PinnedKey, Trust } from './trust.ts';

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
    checkScore(statement.predicate),
    ...unlogged(signed.key),
  ];
  return conclude(checks, valuesOf(statement.predicate));
}

interface Signed {
  readonly checks: readonly [envelope: Check, keyTrusted: Check];
  /** The pinned key that signed. */
  readonly key?: PinnedKey;
}

// A key id only narrows which keys to try (DSSE); one good signature of a trusted key is enough.
function checkSignature(envelope: DecodedEnvelope, { keys }: Trust, verifySignature: VerifySignature): Signed {
  const message = preAuthentication(envelope.payloadType, envelope.payload);
  const usable = keys.filter(({ role, consistent }) => role === 'receipt' && consistent);
  let tried = false;
  for (const { keyid, signature } of envelope.signatures) {
    for (const key of usable) {
      if (keyid !== undefined && keyid !== key.kid) continue;
      tried = true;
      if (verifySignature(key.publicKey, message, signature))
        return {
          key,
          checks: [
            { name: 'envelope', result: 'pass' },
            { name: 'key_trusted', result: 'pass' },
          ],
        };
    }
  }
  if (tried) {
    const detail = 'no signature of a trusted key fits the payload';
    return {
      checks: [
        { name: 'envelope', result: 'fail', detail },
        { name: 'key_trusted', result: 'pass' },
      ],
    };
  }
  const changed = keys.some(({ consistent }) => !consistent);
  const detail = changed
    ? 'a pinned key is not the one its key id names'
    : 'the key that signed is not among the pinned receipt keys';
  return {
    checks: [
      { name: 'envelope', result: 'not_checked', detail: 'there is no trusted key to check it with' },
      { name: 'key_trusted', result: 'fail', detail },
    ],
  };
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

function checkIssuer({ kid }: PinnedKey, { predicate }: RunStatement): Check {
  if (predicate.issuer.kid === kid) return { name: 'key_trusted', result: 'pass' };
  return { name: 'key_trusted', result: 'fail', detail: 'the statement names another key than the one that signed' };
}

// Opinions of the server at the time of reading: not part of what was signed, and ignored.
const opinions = ['signature_valid', 'checks', 'effective', 'resolution'];

function checkCopy(copy: Readonly<Record<string, unknown>>, statement: RunStatement, text: string): Check {
  const { predicate } = statement;
  const yields: Readonly<Record<string, unknown>> = {
    receipt_id: predicate.receipt_id,
    trust_score: predicate.score.trust_score,
    risk_level: predicate.score.risk_level,
    timestamp: predicate.finished_at,
  };
  const differs = Object.entries(copy).find(([name, value]) => {
    if (opinions.includes(name)) return false;
    if (name === 'statement') return canonicalForm(value) !== text;
    return !Object.hasOwn(yields, name) || value !== yields[name];
  });
  if (differs === undefined) return { name: 'readable_copy_matches', result: 'pass' };
  return { name: 'readable_copy_matches', result: 'fail', detail: `${differs[0]} is not what the payload says` };
}

function checkScore(predicate: RunPredicate): Check {
  const derived = deriveScoreFact(predicate);
  const fact = predicate.score_fact;
  const recomputes =
    canonicalForm(scoreRun(predicate)) === canonicalForm(predicate.score) &&
    derived.outcome_class === fact.outcome_class &&
    derived.latency_ok === fact.latency_ok;
  if (recomputes) return { name: 'score_recomputes', result: 'pass' };
  return { name: 'score_recomputes', result: 'fail', detail: 'the facts yield another score or outcome class' };
}

function valuesOf(predicate: RunPredicate): Values {
  const { receipt_id, run_id, tenant, orbiset_id, orb_id, mode, status, sequence, score, issuer } = predicate;
  return {
    ...{ receipt_id, run_id, tenant, orbiset_id, orb_id, mode, status, sequence },
    timestamp: predicate.finished_at,
    trust_score: score.trust_score,
    risk_level: score.risk_level,
    kid: issuer.kid,
    installation: issuer.installation,
    origin: predicate.log.origin,
  };
}
