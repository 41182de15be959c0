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
import { approvalStates, type ApprovalReads, type ApprovalRow, type Past, type State } from './store.ts';

/** What the routes of approvals use. */
export interface RouteScope extends DeskScope {
  readonly desk: Desk;
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
      shown(await found(scope, approval_id, principal), principal, scope),
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
      return shown(await found(scope, approval_id, principal), principal, scope);
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

async function shown(whole: WholeApproval, caller: Principal, scope: RouteScope) {
  const { row, bound, asks, decisions } = whole;
  const {
    runtime: { held },
    store,
    lists,
    desk,
  } = scope;
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
    similar: similarOf(row, await lists.similar(row.orb_id, row.requester)),
    may_decide: desk.mayDecide(whole, caller),
  };
}

function similarOf({ approval_id: own }: ApprovalRow, rows: readonly Past[]) {
  const ended = rows.filter(({ approval_id, state }) => state !== 'open' && approval_id !== own);
  const count = (wanted: State): number => ended.filter(({ state }) => state === wanted).length;
  return {
    ...{ approved: count('approved'), refused: count('refused') },
    last: ended
      .slice(0, 5)
      .map(({ approval_id, state, created_at }) => ({ approval_id, state, created_at: timestamp(created_at) })),
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
