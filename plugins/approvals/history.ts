import { timestamp, type AwaitedReads } from '../../kernel/index.ts';
import type { ApprovalRecord } from './contract.ts';
import type { Desk } from './desk.ts';
import type { ApprovalReads } from './store.ts';

const pageSize = 100;

/** Lists the approvals that were opened in [from, to), of one tenant or of all, newest first, a page at a time. */
export async function* approvalsBetween(
  lists: Pick<AwaitedReads<ApprovalReads>, 'list'>,
  desk: Pick<Desk, 'whole'>,
  [from, to]: readonly [from: number, to: number],
  tenant?: string,
): AsyncGenerator<ApprovalRecord> {
  for (let before: string | undefined; ;) {
    const { items } = await lists.list({ groups: undefined, state: undefined, before, limit: pageSize });
    for (const { approval_id, created_at, tenant: owner } of items) {
      if (created_at < from) return;
      const whole = created_at < to && (tenant ?? owner) === owner ? await desk.whole(approval_id) : undefined;
      if (whole !== undefined) yield recordOf(whole);
    }
    if (items.length < pageSize) return;
    before = items.at(-1)?.approval_id;
  }
}

function recordOf({ row, bound, asks, decisions }: NonNullable<Awaited<ReturnType<Desk['whole']>>>): ApprovalRecord {
  const { approval_id, run_id, tenant, state, digest } = row;
  return {
    ...{ approval_id, run_id, tenant, state, digest, bound, asks },
    created_at: timestamp(row.created_at),
    expires_at: timestamp(row.expires_at),
    decisions: decisions.map(({ principal, decision, groups, auth, surface, at, receipt_id }) => ({
      ...{ principal, decision, groups: JSON.parse(groups) as string[], auth, surface, at: timestamp(at), receipt_id },
    })),
  };
}
