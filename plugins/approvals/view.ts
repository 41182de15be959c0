import { PlatformError, timestamp, type Principal } from '../../kernel/index.ts';
import type { Bound } from '../runtime/contract.ts';
import type { Ask } from './contract.ts';
import { approversOf, groupsWith } from './decisions.ts';
import { reasonsIn, type Desk, type DeskScope, type WholeApproval } from './desk.ts';
import { problems } from './problems.ts';
import type { Approval, ApprovalView } from './schema.ts';
import type { ApprovalRow } from './store.ts';

/** What shows approvals. */
export interface ViewScope extends DeskScope {
  readonly desk: Desk;
}

/** Finds an approval for a caller. Throws 404: who is not asked learns nothing of it, but that it asked for the run itself. */
export async function found(scope: ViewScope, approvalId: string, caller: Principal): Promise<WholeApproval> {
  const whole = await scope.desk.whole(approvalId);
  const groups = groupsWith(scope.groups, caller.id);
  const may = (asks: readonly Ask[]): boolean => asks.some(({ approvers }) => groups.includes(approvers));
  if (whole !== undefined && (caller.scopes.includes('*') || caller.id === whole.row.requester || may(whole.asks)))
    return whole;
  const detail = `there is no approval ${approvalId} that you may see; GET /approvals lists yours`;
  throw new PlatformError(problems.approval_not_found, detail);
}

/** Shows what all that show an approval have of it. */
export async function shown({ row, bound, asks, decisions }: WholeApproval, scope: ViewScope): Promise<ApprovalView> {
  const { runtime, store } = scope;
  const inputs = row.state === 'open' ? await runtime.held.inputs(row.run_id) : undefined;
  return {
    ...summaryOf(row),
    asks: asks.map((ask) => {
      const { code, message, approvers, of, bind } = ask;
      return { code, message, approvers, of, bind, approved_by: approversOf(ask, decisions) };
    }),
    bound,
    outcomes: await outcomesOf(row, asks, scope),
    ...(inputs === undefined ? {} : { inputs: JSON.parse(inputs) as NonNullable<Approval['inputs']> }),
    decisions: decisions.map(({ principal, decision, auth, surface, at, receipt_id, comment }) => ({
      ...{ principal, decision, auth, surface, at: timestamp(at) },
      ...(comment === null ? {} : { comment: wordsOf(store.sealer.open('approvals', comment)) }),
      receipt_id,
    })) as unknown as Approval['decisions'],
  };
}

const outcomeMs = 30 * 86_400_000;

async function outcomesOf(
  { approval_id, orb_id, tenant }: ApprovalRow,
  asks: readonly Ask[],
  { clock, reads }: ViewScope,
): Promise<ApprovalView['outcomes']> {
  const found = await reads.outcomes(tenant, orb_id, reasonsIn(asks), clock.now() - outcomeMs, approval_id);
  const counts = new Map(found.map(({ state, approvals }) => [state, approvals]));
  const [approved = 0, refused = 0, expired = 0] = (['approved', 'refused', 'expired'] as const).map((state) =>
    counts.get(state),
  );
  return { approved, refused, expired };
}

function wordsOf(opened: Uint8Array): string {
  return (JSON.parse(Buffer.from(opened).toString()) as { readonly text: string }).text;
}

/** Shows the row of an approval as lists have it. */
export function summaryOf(row: ApprovalRow) {
  const { approval_id, state, run_id, orb_id, orbiset_id, requester, mode, digest, created_at, expires_at } = row;
  const { asks } = JSON.parse(row.bound) as Bound;
  return {
    ...{ approval_id, state, run_id, orb_id, orbiset_id, principal: requester, mode, digest },
    approvers: [...new Set(asks.map(({ approvers }) => approvers))],
    policies: [...new Set(asks.flatMap(({ policies }) => policies))],
    ...{ created_at: timestamp(created_at), expires_at: timestamp(expires_at) },
  };
}
