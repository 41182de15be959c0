import { bytesToHex } from '@noble/hashes/utils.js';
import { exactly, listOf } from '../format/exactly.ts';
import { id, text } from '../format/schema-parts.ts';
import { findMisfit } from '../format/schema.ts';
import { predicateType as typeOf } from '../kinds/kind.ts';
import { isRecord } from '../format/strict-json.ts';
import { equalBytes, type Sha256 } from '../log/pure/tree.ts';
import { mostDecisions } from './artefact.ts';
import { fail, pass, unchecked, type Check, type Place, type Report } from './report.ts';
import { canonicalForm, isRun, type Statement } from './statement.ts';
import type { RunStatement } from '../format/run-statement.ts';
import type { JsonSchema } from '../../../kernel/index.ts';

/** A receipt with the report on it, to be compared with others. */
export interface Examined {
  readonly report: Report;
  /** Absent: nothing signed could be read. */
  readonly statement?: Statement | undefined;
}

/** The receipts of decisions that are at hand, by their ids. */
export type DecisionsAtHand = ReadonlyMap<string, Examined>;

const name = 'approval_matches';
const approvalType = typeOf('approval');

// The clocks of two nodes of one store differ by less; a node whose clock is further off issues nothing.
const mostSkewMs = 60_000;

type Named = NonNullable<RunStatement['predicate']['facts']['approval']>;
type OneApproval = Omit<Named, 'earlier'>;

/** Names the receipts of the decisions that the receipt of a run names; undefined when it was never held for people. */
export function namedDecisions(statement: Statement | undefined): readonly string[] | undefined {
  return approvalsOf(statement)?.flatMap(({ decisions }) => decisions);
}

// In the order in which people were asked.
function approvalsOf(statement: Statement | undefined): readonly OneApproval[] | undefined {
  if (statement === undefined || !isRun(statement)) return undefined;
  const { approval } = statement.predicate.facts;
  return approval && [...(approval.earlier ?? []), approval];
}

/** Finds the same in a receipt that nobody has verified yet, to know which ones to ask for. */
export function claimedDecisions(receipt: unknown): readonly string[] {
  const path = ['statement', 'predicate', 'facts', 'approval'];
  const last = path.reduce(memberOf, receipt);
  const lists = [...listIn(memberOf(last, 'earlier')), last].flatMap((one) => listIn(memberOf(one, 'decisions')));
  return lists.filter((one) => typeof one === 'string').slice(0, mostDecisions);
}

function memberOf(value: unknown, member: string): unknown {
  return isRecord(value) ? value[member] : undefined;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Compares the receipt of a run with the receipts of the decisions on it: one check for a run that people were asked
 * about, none for others. What is not at hand, or could not be verified for lack of a key or proof, is no failure.
 */
export function checkApproval({ report, statement }: Examined, atHand: DecisionsAtHand, sha: Sha256): Check[] {
  const [approvals, named] = [approvalsOf(statement), namedDecisions(statement)];
  if (statement === undefined || !isRun(statement) || approvals === undefined || named === undefined) return [];
  const absent = named.filter((receipt) => !atHand.has(receipt));
  if (absent.length > 0)
    return [unchecked(name, `the decisions are not at hand: ${absent.join(', ')}; keep their receipts with this one`)];
  const found = named.map((receipt) => ({ receipt, ...readDecision(atHand.get(receipt), receipt) }));
  const wrong = found.find(({ fault, isKnown }) => isKnown && fault !== undefined);
  const unknown = found.find(({ isKnown }) => !isKnown);
  if (wrong !== undefined) return [fail(name, `${wrong.receipt} ${wrong.fault ?? ''}`)];
  if (unknown !== undefined) return [unchecked(name, `${unknown.receipt} ${unknown.fault ?? ''}`)];
  const decisions = new Map(found.map(({ decision, receipt }) => [receipt, decision]));
  const asked = approvals.map((approval) => ({
    approval,
    decisions: approval.decisions.flatMap((receipt) => decisions.get(receipt) ?? []),
  }));
  return [judge(statement, report.place, asked, sha)];
}

/** One approval that a run names, with the decisions on it. */
interface Asked {
  readonly approval: OneApproval;
  readonly decisions: readonly Decision[];
}

interface Decision {
  readonly receipt: string;
  readonly statement: Statement;
  readonly place: Place | undefined;
  readonly at: string;
  readonly tenant: string;
  readonly approval_id: string;
  readonly facts: DecisionFacts;
}

interface DecisionFacts {
  readonly decision: string;
  readonly state: string;
  readonly digest: string;
  readonly principal: string;
  readonly groups: readonly string[];
  readonly bound: Readonly<Record<string, unknown>> & {
    readonly asks: readonly { readonly approvers: string; readonly of: number; readonly bind: string }[];
    readonly providers: readonly { readonly name: string; readonly config_digest: string }[];
  };
}

const open = (properties: Readonly<Record<string, object>>): JsonSchema => ({
  ...exactly(properties as never),
  additionalProperties: true,
});

// What is compared of a decision. The plugin that declares the kind says all of it; a verifier may know another version.
const compared = open({
  tenant: text,
  approval_id: id('apr'),
  at: text,
  facts: open({
    ...{ decision: text, state: text, digest: text, principal: text, groups: listOf('Groups', text) },
    bound: open({
      asks: listOf('Asks', open({ approvers: text, of: { type: 'integer', minimum: 1 }, bind: text })),
      providers: listOf('Providers', open({ name: text, config_digest: text })),
    }),
  }),
});

interface ReadDecision {
  readonly fault?: string;
  /** False: this verifier could not find out. */
  readonly isKnown: boolean;
  readonly decision?: Decision;
}

function readDecision(examined: Examined | undefined, receipt: string): ReadDecision {
  const { report, statement } = examined ?? {};
  if (report === undefined || statement === undefined || report.exit !== 0)
    return { fault: `could not be verified: ${reasonOf(report)}`, isKnown: report !== undefined && report.exit !== 3 };
  const { predicate, predicateType } = statement;
  if (isRun(statement) || predicateType !== approvalType)
    return { fault: 'is not the receipt of a decision', isKnown: true };
  if (predicate.receipt_id !== receipt) return { fault: 'is another receipt', isKnown: true };
  if (findMisfit(compared, predicate) !== undefined) return { fault: 'has facts of another form', isKnown: false };
  // The cast is safe: the schema above was checked.
  const { approval_id, at, facts, tenant } = predicate as unknown as Omit<Decision, 'receipt' | 'statement' | 'place'>;
  return { isKnown: true, decision: { receipt, statement, place: report.place, at, tenant, approval_id, facts } };
}

function reasonOf(report: Report | undefined): string {
  const made = report?.checks.find(({ result }) => result === 'fail') ?? report?.checks.find(isMissing);
  return report?.hint ?? (made === undefined ? 'nothing was read' : `${made.name}: ${made.detail ?? 'failed'}`);
}

function isMissing({ result }: Check): boolean {
  return result === 'not_checked';
}

function judge(run: RunStatement, place: Place | undefined, asked: readonly Asked[], sha: Sha256): Check {
  for (const { approval, decisions } of asked) {
    const fault = decisions.map((one) => misfitOf(run, approval, one, sha)).find((found) => found !== undefined);
    const together = fault ?? faultTogether(run, decisions);
    if (together !== undefined) return fail(name, together);
  }
  const decisions = asked.flatMap((one) => one.decisions);
  const order = decisions.map((one) => orderFault(run, place, one));
  const late = order.find((found) => found?.result === 'fail') ?? order.find((found) => found !== undefined);
  return late ?? { ...pass(name), detail: sayingOf(run, decisions) };
}

type Rules = readonly (readonly [agrees: boolean, fault: string])[];

// Of one decision: about this approval, about the digest that the run names, and about this run with these inputs.
function misfitOf(
  { predicate: run }: RunStatement,
  approval: OneApproval,
  decision: Decision,
  sha: Sha256,
): string | undefined {
  const { approval_id, facts, receipt, statement, tenant } = decision;
  const { bound } = facts;
  const { inputs, action } = run.facts;
  const known = {
    ...{ run_id: run.run_id, orb_id: run.orb_id, orbiset_id: run.orbiset_id, principal: run.facts.principal },
    ...{ mode: run.mode, manifest_digest: run.facts.orb.manifest_digest, inputs },
    delivery: action.delivery ?? 'at_most_once',
  };
  const differs = Object.entries(known).find(([member, value]) => !isSame(bound[member], value))?.[0];
  const issuer = statement.predicate.issuer.installation;
  const rules: Rules = [
    [approval_id === approval.approval_id, `is of another approval, ${approval_id}`],
    [facts.digest === approval.digest, 'is about another digest than the one that the run names'],
    [facts.digest === digestOf(bound, sha), 'names a digest that is not the one of what it binds'],
    [differs === undefined, `is about a run with another ${differs ?? ''}`],
    [tenant === run.tenant, 'is of another tenant'],
    [issuer === run.issuer.installation, 'is of another installation'],
    [facts.principal !== run.facts.principal, 'is by the requester of the run'],
    [
      bound.asks.every(({ bind }) => bind !== 'provider') || run.facts.attempts.every((one) => isBound(one, bound)),
      'binds the provider, and another one was called',
    ],
  ];
  const fault = rules.find(([agrees]) => !agrees)?.[1];
  return fault === undefined ? undefined : `${receipt} ${fault}`;
}

function isBound(
  { provider, config_digest }: { readonly provider: string; readonly config_digest: string },
  { providers }: DecisionFacts['bound'],
): boolean {
  return providers.some((one) => one.name === provider && one.config_digest === config_digest);
}

function isSame(one: unknown, other: unknown): boolean {
  return isRecord(one) ? canonicalForm(one) === canonicalForm(other) : one === other;
}

function digestOf(bound: object, sha: Sha256): string {
  return `sha256:${bytesToHex(sha(new TextEncoder().encode(canonicalForm(bound) ?? '')))}`;
}

// Of all decisions: each by another person, and for a run that went ahead as many as each ask needs.
function faultTogether({ predicate: run }: RunStatement, decisions: readonly Decision[]): string | undefined {
  const people = decisions.map(({ facts }) => facts.principal);
  const twice = people.find((one, at) => people.indexOf(one) !== at);
  if (twice !== undefined) return `${twice} decided twice`;
  if (!wentAhead(run)) return undefined;
  const refused = decisions.find(({ facts }) => facts.decision !== 'approve');
  if (refused !== undefined) return `${refused.receipt} refuses the run, which went ahead`;
  const [first] = decisions;
  if (first === undefined) return 'the run went ahead, and no decision is named';
  // All decisions have the same digest, so the same asks.
  const short = first.facts.bound.asks.find(({ approvers, of }) => membersOf(approvers, decisions) < of);
  if (short !== undefined)
    return `the run went ahead with ${membersOf(short.approvers, decisions)} of ${short.of} approvals of ${short.approvers}`;
  return decisions.at(-1)?.facts.state === 'approved' ? undefined : 'the run went ahead before it was approved';
}

function membersOf(group: string, decisions: readonly Decision[]): number {
  return decisions.filter(({ facts }) => facts.groups.includes(group)).length;
}

// A run that people did not approve is denied or cancelled, and no provider is called.
function wentAhead({ facts, status }: RunStatement['predicate']): boolean {
  return facts.attempts.length > 0 || (status !== 'denied' && status !== 'cancelled');
}

// Within a log the position is proof; between two logs only the times say something, as far as clocks agree.
function orderFault({ predicate: run }: RunStatement, place: Place | undefined, decision: Decision) {
  const { receipt, at, place: own } = decision;
  if (place === undefined || own === undefined)
    return unchecked(name, `it could not be checked whether ${receipt} is in the log before the run`);
  const [tree, other] = [place.checkpoint, own.checkpoint];
  if (tree.origin === other.origin) {
    const forked = tree.size === other.size && !equalBytes(tree.root, other.root);
    if (forked) return fail(name, `${receipt} is shown in another tree of the same size`);
    return own.index < place.index ? undefined : fail(name, `${receipt} is in the log after the run`);
  }
  const late = Date.parse(at) - Date.parse(run.finished_at);
  if (late <= 0) return undefined;
  return (late > mostSkewMs ? fail : unchecked)(name, `${receipt}, of another log, is later than the end of the run`);
}

function sayingOf({ predicate: run }: RunStatement, decisions: readonly Decision[]): string {
  const said = (word: string): string => {
    const people = decisions
      .filter(({ facts }) => facts.decision === word)
      .map(({ facts }) => `${facts.principal} (${facts.groups.join(', ')})`);
    // A person may be asked twice about a run that was held twice.
    return [...new Set(people)].join(' and ');
  };
  if (wentAhead(run)) return `approved by ${said('approve')} for exactly these inputs`;
  const refused = said('refuse');
  return refused === '' ? 'not approved; no provider was called' : `refused by ${refused}; no provider was called`;
}
