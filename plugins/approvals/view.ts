import { PlatformError, timestamp, type Principal } from '../../kernel/index.ts';
import type { Ask } from './contract.ts';
import { approversOf, groupsWith } from './decisions.ts';
import type { Desk, DeskScope, WholeApproval } from './desk.ts';
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
export async function shown(
  { row, bound, asks, decisions }: WholeApproval,
  { runtime: { held }, store }: ViewScope,
): Promise<ApprovalView> {
  const inputs = row.state === 'open' ? await held.inputs(row.run_id) : undefined;
  return {
    ...summaryOf(row),
    asks: asks.map((ask) => {
      const { code, message, approvers, of, bind } = ask;
      return { code, message, approvers, of, bind, approved_by: approversOf(ask, decisions) };
    }),
    bound,
    ...(inputs === undefined ? {} : { inputs: JSON.parse(inputs) as NonNullable<Approval['inputs']> }),
    decisions: decisions.map(({ principal, decision, auth, surface, at, receipt_id, comment }) => ({
      ...{ principal, decision, auth, surface, at: timestamp(at) },
      ...(comment === null ? {} : { comment: wordsOf(store.sealer.open('approvals', comment)) }),
      receipt_id,
    })) as unknown as Approval['decisions'],
  };
}

function wordsOf(opened: Uint8Array): string {
  return (JSON.parse(Buffer.from(opened).toString()) as { readonly text: string }).text;
}

/** Shows the row of an approval as lists have it. */
export function summaryOf(row: ApprovalRow) {
  const { approval_id, state, run_id, orb_id, orbiset_id, requester, mode, digest, created_at, expires_at } = row;
  return {
    ...{ approval_id, state, run_id, orb_id, orbiset_id, principal: requester, mode, digest },
    ...{ created_at: timestamp(created_at), expires_at: timestamp(expires_at) },
  };
}
