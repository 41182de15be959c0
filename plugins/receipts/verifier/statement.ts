import canonicalize from 'canonicalize';
import { nonClaims, statementLimit } from '../format/names.ts';
import type { FactKind } from '../format/fact-kind.ts';
import { kindOf, kindsWith, predicateType, subjectName, type OtherKind } from '../kinds/kind.ts';
import type { OtherPredicate, OtherStatement } from '../kinds/predicate.ts';
import { resolvedClass } from '../kinds/resolution.ts';
import type { Rules } from '../kinds/rule.ts';
import { runStatement, type RunStatement } from '../format/run-statement.ts';
import { subjectOfFacts, subjects } from '../format/subject.ts';
import { head, statementOf } from '../format/schema-parts.ts';
import { findMisfit, isTime } from '../format/schema.ts';
import { decodeUtf8, isRecord, parseJson } from '../format/strict-json.ts';

/** A statement of any known kind. */
export type Statement = RunStatement | OtherStatement;

/**
 * A statement read from verified bytes, or its fault. `unknown`: the statement is of a kind this verifier does not
 * know; only its head was checked.
 */
export type Reading =
  | { readonly statement: Statement; readonly text: string }
  | { readonly fault: string; readonly unknown?: { readonly statement: OtherStatement; readonly text: string } };

// When a receipt is shown, its statement is read twice: for the answer and by the verifier.
let latest: { readonly text: string; readonly facts: Facts; readonly reading: Reading } | undefined;

type Facts = readonly FactKind[] | undefined;

/**
 * Reads the statement of a verified payload; strict: one encoding, no unknown member, no contradiction.
 * `facts`: kinds known besides those of the kernel and of receipts.
 */
export function readStatement(payload: Uint8Array, facts?: Facts): Reading {
  if (payload.length > statementLimit) return { fault: `the payload has more than ${statementLimit} bytes` };
  const text = decodeUtf8(payload);
  if (text === undefined) return notJson;
  if (latest?.text !== text || latest.facts !== facts) latest = { text, facts, reading: readText(text, facts) };
  return latest.reading;
}

const notJson: Reading = { fault: 'the payload is not JSON in UTF-8' };

function readText(text: string, facts: Facts): Reading {
  const value = parseJson(text);
  if (value === undefined) return notJson;
  // Also finds duplicate members: the parser has kept only one of them.
  if (!isCanonical(value, text)) return { fault: 'the payload is not in canonical form (RFC 8785)' };
  const type = isRecord(value) ? value['predicateType'] : undefined;
  const particular = kindsWith(facts).get(kindOf(type) ?? '');
  if (particular === undefined && type !== predicateType('run') && isOfOurs(type))
    return unknownKind(value, type, text);
  const misfit = findMisfit(particular?.statement ?? runStatement, value);
  if (misfit !== undefined) return breaks(misfit);
  // The cast is safe: the schema describes the type.
  const statement = value as Statement;
  const rules = isRun(statement) ? runRules(statement) : otherRules(statement, particular);
  const fault = [...commonRules(statement), ...rules].find(([agrees]) => !agrees)?.[1];
  return fault === undefined ? { statement, text } : { fault };
}

function breaks(misfit: string): Reading {
  return { fault: `${misfit === '' ? 'the statement' : misfit} breaks the schema` };
}

// The members of every statement of this program, whatever its kind.
const anyStatement = statementOf({}, { type: 'object', required: Object.keys(head), properties: head });

function unknownKind(value: unknown, type: string, text: string): Reading {
  const misfit = findMisfit(anyStatement, value);
  if (misfit !== undefined) return breaks(misfit);
  const fault = `this verifier does not know receipts of the kind ${kindOf(type) ?? type}, so its content was not checked`;
  // The cast is safe for the head, and only the head is read.
  return { fault, unknown: { statement: value as OtherStatement, text } };
}

/** Says whether a statement is of a run. */
export function isRun(statement: Statement): statement is RunStatement {
  return statement.predicateType === predicateType('run');
}

/** Serialises a value in canonical form; undefined when it has none. */
export function canonicalForm(value: unknown): string | undefined {
  try {
    return canonicalize(value);
  } catch {
    return undefined;
  }
}

// JSON.stringify writes texts and numbers as RFC 8785 does, except lone surrogates, and keeps the order of members: if
// it gives back the same text and every object is in order, the text is canonical. Otherwise it is serialised in full.
function isCanonical(value: unknown, text: string): boolean {
  try {
    if (!text.includes('\\ud') && JSON.stringify(value) === text && isInOrder(value)) return true;
  } catch {
    // Nested deeper than the stack allows: not a statement of this program.
    return false;
  }
  return canonicalForm(value) === text;
}

function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  let before: string | undefined;
  for (const [name, member] of Object.entries(value)) {
    if (before !== undefined && before >= name) return false;
    if (!isInOrder(member)) return false;
    before = name;
  }
  return true;
}

function isOfOurs(type: unknown): type is string {
  return typeof type === 'string' && /^urn:agent-orb:[a-z]+:v\d+$/.test(type);
}

function commonRules({ predicate }: Statement): Rules {
  const { issuer, log, non_claims } = predicate;
  return [
    [log.origin.startsWith(`${issuer.installation}.`), 'the log belongs to an installation other than the issuer'],
    [canonicalForm(non_claims) === canonicalForm(nonClaims), 'non_claims differ from those of the format'],
  ];
}

function runRules({ predicate, subject }: RunStatement): Rules {
  const { facts, status } = predicate;
  return [
    [
      (predicate.previous_digest === undefined) === (predicate.sequence === 1),
      'previous_digest is absent iff sequence is 1',
    ],
    [(predicate.reason === undefined) === (status === 'completed'), 'reason is absent iff the run completed'],
    [(facts.outcome === 'accepted') === (status === 'completed'), 'a run completed iff its outcome is accepted'],
    [(facts.outcome === 'denied') === (status === 'denied'), 'a run is denied iff its outcome is'],
    [(facts.policy.decision === 'deny') === (status === 'denied'), 'a run is denied iff the policy denied it'],
    [(facts.policy.reasons === undefined) === (facts.policy.decision === 'allow'), 'reasons are present iff denied'],
    [isTime(predicate.started_at) && isTime(predicate.finished_at), 'a time is not valid'],
    [canonicalForm(subject) === canonicalForm(subjects(predicate)), 'subjects differ from the commitments'],
  ];
}

function otherRules({ predicate, predicateType: type, subject }: OtherStatement, particular?: OtherKind): Rules {
  const name = particular === undefined ? '' : subjectName(particular, predicate);
  const expected = subjectOfFacts(name, canonicalForm(predicate.facts) ?? '');
  return [
    [isTime(predicate.at), 'a time is not valid'],
    [canonicalForm(subject) === canonicalForm(expected), 'the subject differs from the facts'],
    ...(type === predicateType('resolution') ? resolutionRules(predicate) : []),
    ...(particular?.rules?.(predicate) ?? []),
  ];
}

function resolutionRules({ facts, previous_digest, score_fact, sequence }: OtherPredicate): Rules {
  const { outcome_class, supersedes } = (score_fact ?? {}) as Readonly<Record<string, unknown>>;
  return [
    [(previous_digest === undefined) === (sequence === 1), 'previous_digest is absent iff sequence is 1'],
    [(facts['outcome'] === 'sent') === (facts['status'] === 'completed'), 'a run was completed iff it was sent'],
    [outcome_class === resolvedClass(facts['outcome'], supersedes), 'the outcome class is not that of the facts'],
  ];
}
