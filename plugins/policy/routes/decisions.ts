import {
  defineRoute,
  exactly,
  given,
  holds,
  idOfCursor,
  optional,
  pageOf,
  pageQuery,
  PlatformError,
  timestamp,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import type { DecisionRow } from '../decide/decision-log.ts';
import type { RouteScope } from './scope.ts';
import { action } from './wire.ts';
import { problems } from '../problems.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;
const word = { type: 'string', maxLength: 200 } as const;

const decision = exactly('PolicyDecision', {
  decision_id: { ...text, description: 'Id of the decision' },
  at: { ...text, description: 'When it happened' },
  action: { ...action, description: 'What was asked for' },
  allow: { type: 'boolean', description: 'Whether it is allowed' },
  orb_id: { ...text, description: 'Id of the Orb' },
  principal: { ...text, description: 'Id of who asked, `prn_<ulid>`' },
  tenant: { ...text, description: 'The tenant it belongs to' },
  revision: optional({ ...text, description: 'Digest of the revision of the policies' }),
  run_id: optional({ ...text, description: 'The run it was for' }),
  receipt_id: optional({ ...text, description: 'The receipt that attests it' }),
  entrypoint: optional({ ...text, description: 'The rule that was asked' }),
  cached: { type: 'boolean', description: 'Whether an equal decision was known' },
  duration_us: { type: 'integer', description: 'How long it took, microseconds' },
  policies: optional({ type: 'array', description: 'Ids of the policies', items: text }),
  reasons: optional({
    type: 'array',
    description: 'Why it was denied',
    items: { type: 'object', additionalProperties: true },
  }),
  warns: optional({ type: 'integer', description: 'Number of policies that warned' }),
  shadow_denies: optional({ type: 'integer', description: 'Number of policies in shadow that would deny' }),
  input: optional({ type: 'object', additionalProperties: true, description: 'The envelope without inputs' }),
});

/** Makes the routes of the decision log. A key without `*` sees its own tenant's decisions only. */
export function decisionRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), readRoute(scope)];
}

function listRoute({ reads }: RouteScope): Route {
  return defineRoute({
    service: 'policy',
    scope: 'policies:read',
    method: 'GET',
    path: '/policies/-/decisions',
    operationId: 'listPolicyDecisions',
    summary: 'List decisions, newest first',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        action: { ...action, description: 'Only of this action' },
        allow: { type: 'boolean', description: 'Only allowed, or only denied ones' },
        orb_id: { ...word, description: 'Only of this Orb' },
        principal: { ...word, description: 'Only of this principal' },
        revision: { ...word, description: 'Only of this revision' },
        from: { ...time, description: 'At or after' },
        to: { ...time, description: 'Before' },
      },
    },
    response: exactly({
      decisions: { type: 'array', description: 'Newest first', items: decision },
      next_cursor: optional({ ...text, description: 'Cursor of the next page; absent on the last' }),
    }),
    problems: [],
    handle({ query: { limit, cursor, from, to, ...wanted }, principal }) {
      const after = idOfCursor(cursor, 'dec_');
      const found = reads.decisions({
        ...(wanted as Omit<Parameters<typeof reads.decisions>[0], 'limit'>),
        // Stored times have three decimals, and are compared as text.
        ...(from === undefined ? {} : { from: timestamp(Date.parse(from)) }),
        ...(to === undefined ? {} : { to: timestamp(Date.parse(to)) }),
        ...tenantOf(principal),
        ...given({ after }),
        limit: limit + 1,
      });
      const { items, next_cursor } = pageOf(found, limit, ({ decision_id }) => decision_id);
      return { decisions: items.map(shown), ...given({ next_cursor }) };
    },
  });
}

function tenantOf({ scopes, tenant }: Principal): { tenant?: string } {
  return holds(scopes, '*') ? {} : { tenant };
}

function readRoute({ reads }: RouteScope): Route {
  return defineRoute({
    service: 'policy',
    scope: 'policies:read',
    method: 'GET',
    path: '/policies/-/decisions/{decision_id}',
    operationId: 'getPolicyDecision',
    summary: 'Read a decision',
    params: exactly({ decision_id: { type: 'string', maxLength: 64, description: 'Id of the decision' } }),
    response: decision,
    problems: [problems.decision_not_found],
    handle({ params: { decision_id }, principal }) {
      const row = reads.decision(decision_id);
      const { tenant = row?.tenant } = tenantOf(principal);
      if (row === undefined || row.tenant !== tenant)
        throw new PlatformError(problems.decision_not_found, `there is no decision ${decision_id}`);
      return shown(row);
    },
  });
}

function shown({ record, revision, run_id, receipt_id, ...row }: DecisionRow): object {
  return {
    ...row,
    ...(revision === null ? {} : { revision }),
    ...(run_id === null ? {} : { run_id }),
    ...(receipt_id === null ? {} : { receipt_id }),
    ...(JSON.parse(record) as object),
  };
}
