import {
  defineRoute,
  exactly,
  idOfCursor,
  nextOf,
  pageQuery,
  timestamp,
  type AwaitedReads,
  type Principal,
  type Route,
} from '../../kernel/index.ts';
import { groupsWith } from './decisions.ts';
import type { WholeApproval } from './desk.ts';
import { problems } from './problems.ts';
import { approvalPage, approvalSchema, decisionRequest, type Approval } from './schema.ts';
import { approvalStates, type ApprovalReads, type ApprovalRow, type Past, type State } from './store.ts';
import { found, shown, summaryOf, type ViewScope } from './view.ts';

/** What the routes of approvals use. */
export interface RouteScope extends ViewScope {
  readonly lists: Pick<AwaitedReads<ApprovalReads>, 'list' | 'similar'>;
}

const approving = { service: 'runtime', scope: 'runs:approve' } as const;
const params = exactly({ approval_id: { type: 'string', maxLength: 64, description: 'Id of the approval' } });

/** Makes the routes of approvals. */
export function approvalRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), showRoute(scope), decideRoute(scope)];
}

const listRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...approving,
    method: 'GET',
    path: '/approvals',
    operationId: 'listApprovals',
    summary: 'List the approvals that the caller may decide, newest first',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        state: {
          type: 'string',
          enum: [...approvalStates, 'ended'],
          description: 'Only those in a state; `ended`: in any but `open`',
        },
        group: { type: 'string', maxLength: 64, description: 'Only those that ask this group' },
      },
    },
    response: approvalPage,
    async handle({ query: { limit, cursor, state, group }, principal }) {
      const all = principal.scopes.includes('*');
      const own = all ? [...scope.groups.keys()] : groupsWith(scope.groups, principal.id);
      const wanted = group === undefined ? own : own.filter((name) => name === group);
      if (wanted.length === 0 && !(all && group === undefined)) return { approvals: [], groups: own };
      // A group that is no more still has its approvals.
      const groups = all && group === undefined ? undefined : wanted;
      const page = await scope.lists.list({ groups, state, before: idOfCursor(cursor, 'apr_'), limit });
      return { approvals: page.items.map(summaryOf), groups: own, ...nextOf(page) };
    },
  });

const showRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...approving,
    method: 'GET',
    path: '/approvals/{approval_id}',
    operationId: 'getApproval',
    summary: 'Show what an approval is about: the inputs that would be executed, and all that is bound',
    params,
    response: approvalSchema,
    problems: [problems.approval_not_found],
    handle: async ({ params: { approval_id }, principal }) =>
      detailOf(await found(scope, approval_id, principal), principal, scope),
  });

const decideRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...approving,
    method: 'POST',
    path: '/approvals/{approval_id}/decision',
    operationId: 'decideApproval',
    summary: 'Approve or refuse a held run, once, by its digest',
    params,
    body: decisionRequest,
    response: approvalSchema,
    problems: [
      ...[problems.approval_not_found, problems.approval_own, problems.approval_not_yours],
      ...[problems.approval_differs, problems.approval_decided, 'storage_unavailable' as const],
    ],
    async handle({ params: { approval_id }, body, principal, sessionToken }) {
      await found(scope, approval_id, principal);
      const known = sessionToken === undefined ? 'key' : 'session';
      const surface = sessionToken === undefined ? 'api' : 'console';
      await scope.desk.decide({ approval_id, ...body, caller: principal, auth: known, surface });
      return detailOf(await found(scope, approval_id, principal), principal, scope);
    },
  });

async function detailOf(whole: WholeApproval, caller: Principal, scope: RouteScope): Promise<Approval> {
  const { row } = whole;
  const similar = similarOf(row, await scope.lists.similar(row.orb_id, row.requester));
  return { ...(await shown(whole, scope)), similar, may_decide: scope.desk.mayDecide(whole, caller) };
}

function similarOf({ approval_id: own }: ApprovalRow, rows: readonly Past[]): Approval['similar'] {
  const ended = rows.filter(({ approval_id, state }) => state !== 'open' && approval_id !== own);
  const count = (wanted: State): number => ended.filter(({ state }) => state === wanted).length;
  const last = ended.slice(0, 5).map((one) => ({ ...one, created_at: timestamp(one.created_at) }));
  return { approved: count('approved'), refused: count('refused'), last };
}
