import {
  defineRoute,
  exactly,
  idOfCursor,
  nextOf,
  pageQuery,
  type AwaitedReads,
  type Route,
} from '../../kernel/index.ts';
import { groupsWith } from './decisions.ts';
import { problems } from './problems.ts';
import { approvalPage, approvalSchema, decisionRequest } from './schema.ts';
import { approvalStates, type ApprovalReads } from './store.ts';
import { found, shown, summaryOf, type ViewScope } from './view.ts';

/** What the routes of approvals use. */
export interface RouteScope extends ViewScope {
  readonly lists: Pick<AwaitedReads<ApprovalReads>, 'list'>;
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
        state: { type: 'string', enum: approvalStates, description: 'Only those in a state' },
      },
    },
    response: approvalPage,
    async handle({ query: { limit, cursor, state }, principal }) {
      const groups = principal.scopes.includes('*') ? undefined : groupsWith(scope.groups, principal.id);
      if (groups?.length === 0) return { approvals: [] };
      const page = await scope.lists.list({ groups, state, before: idOfCursor(cursor, 'apr_'), limit });
      return { approvals: page.items.map(summaryOf), ...nextOf(page) };
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
    handle: async ({ params: { approval_id }, principal }) => shown(await found(scope, approval_id, principal), scope),
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
      return shown(await found(scope, approval_id, principal), scope);
    },
  });
