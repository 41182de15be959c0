import { canonical, given, type Decision, PlatformError } from '../../../kernel/index.ts';
import type { Commit } from '../format/commitment.ts';
import { nonClaims, predicateType, statementType } from '../contract.ts';
import { subjectName, type Kinds } from '../kinds/kind.ts';
import type { OtherPredicate, OtherStatement } from '../kinds/predicate.ts';
import type { ToAppend } from './append-receipt.ts';
import { policyOf, type Issuer } from './run-draft.ts';
import { splitTexts, type SplitStatement } from './split-statement.ts';
import { subjectOfFacts } from '../format/subject.ts';
import { findMisfit } from '../format/schema.ts';

/** A fact of any kind except a run: the members of its predicate except the head; `facts` without `policy`. */
export interface OtherFact {
  readonly kind: string;
  readonly tenant?: string;
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
  readonly facts: object;
  /** Becomes `facts.policy`. */
  readonly decision?: Decision;
}

/** The inputs for drafting a statement. */
export type DraftScope = { readonly issuer: Issuer; readonly commit: Commit; readonly kinds: Kinds };

/** Builds the statement of a fact other than a run. Throws `internal` when it violates its kind's schema or rules. */
export function draftOther(
  { kind, facts, decision, ...fields }: OtherFact,
  receiptId: string,
  { commit, issuer, kinds }: DraftScope,
): ToAppend {
  const particular = kinds.get(kind);
  if (particular === undefined)
    throw new PlatformError('internal', `receipts cannot be issued for facts of the kind ${kind}`);
  const predicate = {
    ...fields,
    facts: { ...facts, ...(decision === undefined ? {} : { policy: policyOf(decision, commit) }) },
    issuer: { installation: issuer.installation, kid: issuer.kid, version: issuer.version },
    log: { origin: issuer.origin },
    non_claims: [...nonClaims],
    receipt_id: receiptId,
  } as OtherPredicate;
  const statement = {
    _type: statementType,
    predicate,
    predicateType: predicateType(kind),
    subject: subjectOfFacts(subjectName(particular, predicate), canonical(predicate.facts)),
  };
  // These facts are rare, so each is checked against its schema: no other member gets in.
  const placed = particular.chained ? { ...statement, predicate: { ...predicate, sequence: 1 } } : statement;
  const misfit = findMisfit(particular.statement, placed);
  if (misfit !== undefined) throw new PlatformError('internal', `${misfit} of a ${kind} breaks the schema`);
  const fault = particular.rules?.(predicate).find(([agrees]) => !agrees)?.[1];
  if (fault !== undefined) throw new PlatformError('internal', `a ${kind} contradicts itself: ${fault}`);
  return toAppend(kind, predicate, particular.chained ? split(statement) : canonical(statement));
}

/** Splits a statement at `previous_digest` and `sequence`; there are members before, between and after them. */
function split({ predicate, predicateType: type, subject }: OtherStatement): SplitStatement {
  const members = (belongs: (name: string) => boolean): string =>
    canonical(Object.fromEntries(Object.entries(predicate).filter(([name]) => belongs(name)))).slice(1, -1);
  const before = members((name) => name < 'previous_digest');
  const between = members((name) => name > 'previous_digest' && name < 'sequence');
  const after = members((name) => name > 'sequence');
  return splitTexts(
    `{"_type":"${statementType}","predicate":{${before}`,
    `,${between},"sequence":`,
    `,${after}},"predicateType":"${type}","subject":${canonical(subject)}}`,
  );
}

function toAppend(kind: string, predicate: OtherPredicate, statement: ToAppend['statement']): ToAppend {
  const { at: timestamp, issuer, log, receipt_id, tenant } = predicate;
  const text = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined);
  const [run_id, orbiset_id, orb_id] = [predicate['run_id'], predicate['orbiset_id'], predicate['orb_id']].map(text);
  return {
    ...{ kind, statement, receipt_id, origin: log.origin, timestamp, kid: issuer.kid },
    ...given({ tenant, run_id, orbiset_id, orb_id }),
  };
}
