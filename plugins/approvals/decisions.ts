import { canonical, timestamp, type Principal } from '../../kernel/index.ts';
import type { Approved, Ask, Bound } from '../runtime/contract.ts';
import { commitTo } from './bound.ts';
import type { ApprovalGroups } from './contract.ts';
import type { ApprovalFact, authentications, surfaces } from './fact.ts';
import type { ApprovalRow, DecisionRow } from './store.ts';
import type { LinkRow } from './tables/links.ts';

/** A person that decides, and how. */
export interface Deciding {
  readonly approval_id: string;
  readonly decision: 'approve' | 'refuse';
  /** The digest of what the person looked at. */
  readonly digest: string;
  readonly comment?: string | undefined;
  readonly caller: Principal;
  readonly auth: (typeof authentications)[number];
  readonly surface: (typeof surfaces)[number];
  /** The link by which it decides, which is used up. */
  readonly link?: LinkRow | undefined;
}

/** Lists the groups of a principal. */
export function groupsWith(groups: ApprovalGroups, principal: string): string[] {
  return [...groups].flatMap(([name, { members }]) => (members.includes(principal) ? [name] : []));
}

/** What counts of a decision. */
export type Said = Pick<DecisionRow, 'principal' | 'decision' | 'groups' | 'at'>;

const isIn = ({ groups }: Said, { approvers }: Ask): boolean => (JSON.parse(groups) as string[]).includes(approvers);

/** Lists the members of the group of an ask who have approved. */
export function approversOf(ask: Ask, decisions: readonly Said[]): string[] {
  return decisions.filter((one) => one.decision === 'approve' && isIn(one, ask)).map(({ principal }) => principal);
}

/** Lists the answers to asks that as many members as needed have approved. */
export function approvedOf(asks: readonly Ask[], decisions: readonly Said[]): readonly Approved[] {
  return asks.flatMap((ask) => {
    const approved_by = approversOf(ask, decisions).sort();
    if (approved_by.length < ask.of) return [];
    const at = Math.max(...decisions.filter((one) => isIn(one, ask)).map((one) => one.at));
    return [{ code: ask.code, approvers: ask.approvers, approved_by, at: timestamp(at) }];
  });
}

/** Says what an approval becomes by its decisions: one refusal refuses, and each ask needs as many as it names. */
export function stateAfter(asks: readonly Ask[], decisions: readonly Said[]): 'open' | 'approved' | 'refused' {
  if (decisions.some(({ decision }) => decision === 'refuse')) return 'refused';
  return approvedOf(asks, decisions).length === asks.length ? 'approved' : 'open';
}

interface FactParts {
  readonly row: ApprovalRow;
  readonly bound: Bound;
  readonly groups: readonly string[];
  readonly becomes: ApprovalFact['facts']['state'];
  readonly at: string;
}

/**
 * Makes the fact of a decision, and what is kept of its words: the log has only a commitment to them, so they can be
 * erased.
 */
export function factOf({ decision, comment, caller, auth, surface }: Deciding, parts: FactParts) {
  const { row, bound, groups, becomes, at } = parts;
  const committed = comment === undefined ? undefined : commitTo(canonical(comment));
  const fact: ApprovalFact = {
    kind: 'approval',
    at,
    tenant: row.tenant,
    approval_id: row.approval_id,
    facts: {
      ...{ decision, state: becomes, digest: row.digest, bound, principal: caller.id, groups: [...groups] },
      ...{ auth, surface },
      ...(committed && { comment: { commitment: committed.commitment, size: committed.size } }),
    },
  };
  const kept = committed && JSON.stringify({ text: comment, salt: committed.salt });
  return { fact, comment: kept ?? null };
}
