import {
  defineRoute,
  exactly,
  idOfCursor,
  nextOf,
  pageQuery,
  PlatformError,
  timestamp,
  type AwaitedReads,
  type Principal,
  type Route,
} from '../../kernel/index.ts';
import { approversOf, groupsWith, type Desk, type DeskScope, type WholeApproval } from './desk.ts';
import type { Ask } from './contract.ts';
import { problems } from './problems.ts';
import { approvalPage, approvalSchema, decisionRequest } from './schema.ts';
import { approvalStates, type ApprovalReads, type ApprovalRow } from './store.ts';

/** What the routes of approvals use. */
export interface RouteScope extends DeskScope {
  readonly desk: Desk;
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

// Who is not asked learns nothing of it, but that it asked for the run itself.
async function found(scope: RouteScope, approvalId: string, caller: Principal): Promise<WholeApproval> {
  const whole = await scope.desk.whole(approvalId);
  const groups = groupsWith(scope.groups, caller.id);
  const may = (asks: readonly Ask[]): boolean => asks.some(({ approvers }) => groups.includes(approvers));
  if (whole !== undefined && (caller.scopes.includes('*') || caller.id === whole.row.requester || may(whole.asks)))
    return whole;
  const detail = `there is no approval ${approvalId} that you may see; GET /approvals lists yours`;
  throw new PlatformError(problems.approval_not_found, detail);
}

async function shown({ row, bound, asks, decisions }: WholeApproval, { runtime: { held }, store }: RouteScope) {
  const inputs = row.state === 'open' ? await held.inputs(row.run_id) : undefined;
  return {
    ...summaryOf(row),
    asks: asks.map((ask) => {
      const { code, message, approvers, of, bind } = ask;
      return { code, message, approvers, of, bind, approved_by: approversOf(ask, decisions) };
    }),
    bound,
    ...(inputs === undefined ? {} : { inputs: JSON.parse(inputs) as object }),
    decisions: decisions.map(({ principal, decision, auth, surface, at, receipt_id, comment }) => ({
      ...{ principal, decision, auth, surface, at: timestamp(at) },
      ...(comment === null ? {} : { comment: wordsOf(store.sealer.open('approvals', comment)) }),
      receipt_id,
    })),
  };
}

function wordsOf(opened: Uint8Array): string {
  return (JSON.parse(Buffer.from(opened).toString()) as { readonly text: string }).text;
}

function summaryOf(row: ApprovalRow) {
  const { approval_id, state, run_id, orb_id, orbiset_id, requester, mode, digest, created_at, expires_at } = row;
  return {
    ...{ approval_id, state, run_id, orb_id, orbiset_id, principal: requester, mode, digest },
    ...{ created_at: timestamp(created_at), expires_at: timestamp(expires_at) },
  };
}
