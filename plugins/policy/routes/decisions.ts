import {
  defineRoute,
  exactly,
  holds,
  idOfCursor,
  nextOf,
  optional,
  pageQuery,
  PlatformError,
  type Decision,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import type { DecisionRow } from '../decisions/decision-log.ts';
import { outcomeOf } from '../evaluator/result.ts';
import { reading, type RouteScope } from './scope.ts';
import { action, decision } from '../shapes.ts';
import { problems } from '../problems.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;
const word = { type: 'string', maxLength: 200 } as const;

/** Makes the routes of the decision log. A key without `*` sees its own tenant's decisions only. */
export function decisionRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), readRoute(scope)];
}

const listRoute = ({ lists }: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/policies/-/decisions',
    operationId: 'listPolicyDecisions',
    summary: 'List decisions, newest first',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        action: { ...action, description: 'Only decisions about this action' },
        allow: { type: 'boolean', description: 'Only allowed or only denied decisions' },
        orb_id: { ...word, description: 'Only of this Orb' },
        principal: { ...word, description: 'Only decisions about this principal' },
        revision: { ...word, description: 'Only decisions by this revision' },
        from: { ...time, description: 'Only decisions at or after this time' },
        to: { ...time, description: 'Only decisions before this time' },
      },
    },
    response: exactly({
      decisions: { type: 'array', description: 'The decisions, newest first', items: decision },
      next_cursor: optional({ ...text, description: 'Cursor of the next page; absent on the last page' }),
    }),
    async handle({ query: { limit, cursor, ...wanted }, principal }) {
      const after = idOfCursor(cursor, 'dec_');
      const page = await lists.decisions({ ...wanted, ...tenantOf(principal), after, limit });
      return { decisions: page.items.map(shown), ...nextOf(page) };
    },
  });

function tenantOf({ scopes, tenant }: Principal): { tenant?: string } {
  return holds(scopes, '*') ? {} : { tenant };
}

const readRoute = ({ reads }: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/policies/-/decisions/{decision_id}',
    operationId: 'getPolicyDecision',
    summary: 'Read a decision',
    params: exactly({ decision_id: { type: 'string', maxLength: 64, description: 'Id of the decision' } }),
    response: decision,
    problems: [problems.decision_not_found],
    async handle({ params: { decision_id }, principal }) {
      const row = await reads.decision(decision_id);
      const { tenant = row?.tenant } = tenantOf(principal);
      if (row === undefined || row.tenant !== tenant)
        throw new PlatformError(
          problems.decision_not_found,
          `there is no decision ${decision_id}; GET /policies/-/decisions lists them`,
        );
      return shown(row);
    },
  });

function shown({ record, ...row }: DecisionRow): object {
  const about = JSON.parse(record) as Pick<Decision, 'asks'>;
  return { ...row, outcome: outcomeOf({ ...row, ...about }), ...about };
}
