import { given, timestamp, type AwaitedReads } from '../../kernel/index.ts';
import { concernOf, type Concern } from '../runtime/contract.ts';
import type { ApprovalReads } from './store.ts';

type Lists = AwaitedReads<ApprovalReads>;

const most = 101;

/** What waits for people, for the overview of the console and the API. */
export function openApprovals(lists: Pick<Lists, 'list'>): Concern {
  return {
    name: 'open_approvals',
    scope: 'runs:approve',
    link: '/approvals?state=open',
    async find(tenant) {
      const filter = { groups: undefined, tenant, state: 'open', before: undefined, limit: most } as const;
      const { items, next } = await lists.list(filter);
      return concernOf(
        items.map(({ approval_id, orb_id, created_at }) => ({
          ...{ id: approval_id, title: orb_id, reason: 'people must approve the run', at: timestamp(created_at) },
          link: `/approvals/${approval_id}`,
        })),
        given({ next }),
      );
    },
  };
}

/** Notices that did not reach the people of an open approval. */
export function failedNotices(lists: Pick<Lists, 'failedNotices'>): Concern {
  return {
    name: 'failed_approval_notices',
    scope: 'runs:approve',
    link: '/approvals?state=open',
    async find(tenant) {
      const failed = await lists.failedNotices(tenant ?? null, most);
      return concernOf(
        failed.map(({ approval_id, notice_id, asked, orb_id, code, created_at }) => ({
          ...{ id: notice_id, title: `${orb_id} for ${asked}`, at: timestamp(created_at) },
          reason: `a notice was not sent (${code}): tell a member of ${asked}, and check its Orb and provider`,
          link: `/approvals/${approval_id}`,
        })),
      );
    },
  };
}
