import { defineRoute, exactly, holds, optional, PlatformError, type Route } from '../../../kernel/index.ts';
import { replay, type Replayed } from '../decisions/replay.ts';
import { candidate, onTrial, revisionFor } from './candidate.ts';
import { writing, type RouteScope } from './scope.ts';
import { action, replayed } from '../shapes.ts';
import { problems } from '../problems.ts';

const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;
const most = 1000;

const request = exactly({
  ...candidate('drafts'),
  last: optional({
    ...{ type: 'integer', minimum: 1, maximum: most, default: most },
    description: 'Maximum number of decisions to replay, newest first',
  }),
  action: optional({ ...action, description: 'Only decisions about this action' }),
  orb_id: optional({ type: 'string', maxLength: 200, description: 'Only decisions about this Orb' }),
  from: optional({ ...time, description: 'Only decisions at or after this time' }),
  to: optional({ ...time, description: 'Only decisions before this time' }),
});

/** Makes the route that answers past decisions again with other policies. A key without `*` replays its own tenant's. */
export function replayRoute(scope: RouteScope): Route {
  const busy = new Set<string>();
  return defineRoute({
    ...writing,
    method: 'POST',
    path: '/policies/-/replay',
    operationId: 'replayPolicyDecisions',
    summary: 'Replay recent decisions under drafts or another revision; inputs are not used',
    body: request,
    response: replayed,
    problems: [problems.policy_invalid, problems.revision_not_found, problems.policy_compiler_unavailable],
    async handle({ body: { against, files: posted, ...wanted }, principal: { id: principal, tenant, scopes } }) {
      if (busy.has(tenant))
        throw new PlatformError('rate_limited', 'a replay of this tenant is in progress; wait until it has finished', {
          retry_after: 5,
        });
      busy.add(tenant);
      try {
        const revision = await revisionFor(scope, { files: posted, against });
        const query = { ...wanted, tenant: holds(scopes, '*') ? undefined : tenant };
        const found = await onTrial(scope, revision, (ask) =>
          replay({ ...scope, ask: (question) => ask({ ...question, principal }) }, revision, query),
        );
        return { revision: revision.digest, ...shown(found) };
      } finally {
        busy.delete(tenant);
      }
    },
  });
}

function shown({ decisions: { same, ...changed }, ...rest }: Replayed): object {
  const counts = Object.entries({ same, ...changed }).map(([outcome, { length }]) => [outcome, length] as const);
  return { ...rest, counts: Object.fromEntries(counts), decision_ids: changed };
}
