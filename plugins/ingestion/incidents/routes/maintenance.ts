import { defineRoute, exactly, optional, timestamp, type Route } from '../../../../kernel/index.ts';
import { findWindow } from './checks.ts';
import { time, window, windowWish } from '../model/schema.ts';
import { checkScope, manage, read, type RouteScope } from './wire.ts';
import { problems } from '../../problems.ts';

const params = exactly({ maintenance_id: { type: 'string', maxLength: 64, description: 'Id of the window' } });

/** Makes the routes of maintenance windows. */
export function maintenanceRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), planRoute(scope), readRoute(scope), changeRoute(scope), cancelRoute(scope)];
}

const listRoute = ({ reads, clock }: RouteScope): Route =>
  defineRoute({
    ...read,
    method: 'GET',
    path: '/maintenance',
    operationId: 'listMaintenance',
    summary: 'List maintenance windows by start; without `from` and `to` only current and planned ones',
    query: exactly({
      from: optional({ ...time, description: 'Windows that end after it' }),
      to: optional({ ...time, description: 'Windows that start before it' }),
    }),
    response: exactly({ windows: { type: 'array', description: 'By start', items: window } }),
    async handle({ query: { from, to } }) {
      const since = timestamp(from === undefined ? clock.now() : Date.parse(from));
      return { windows: await reads.windows(since, to === undefined ? '~' : timestamp(Date.parse(to))) };
    },
  });

const planRoute = ({ acts }: RouteScope): Route =>
  defineRoute({
    ...manage,
    method: 'POST',
    path: '/maintenance',
    operationId: 'planMaintenance',
    summary: 'Plan a maintenance window: no incident opens and no downtime counts in it',
    body: exactly(windowWish.properties),
    status: 201,
    response: window,
    async handle({ body, principal }) {
      checkScope(body.scope);
      return acts.plan(body, principal.id);
    },
  });

const readRoute = ({ reads }: RouteScope): Route =>
  defineRoute({
    ...read,
    method: 'GET',
    path: '/maintenance/{maintenance_id}',
    operationId: 'getMaintenance',
    summary: 'Read a maintenance window',
    params,
    response: window,
    problems: [problems.maintenance_not_found],
    handle: ({ params: { maintenance_id } }) => findWindow(reads, maintenance_id),
  });

const changeRoute = ({ acts }: RouteScope): Route =>
  defineRoute({
    ...manage,
    method: 'PATCH',
    path: '/maintenance/{maintenance_id}',
    operationId: 'changeMaintenance',
    summary: 'Change a maintenance window; the past part cannot change',
    params,
    body: windowWish,
    response: window,
    problems: [problems.maintenance_not_found],
    async handle({ params: { maintenance_id }, body }) {
      checkScope(body.scope ?? []);
      return acts.replan(maintenance_id, body);
    },
  });

const cancelRoute = ({ acts }: RouteScope): Route =>
  defineRoute({
    ...manage,
    method: 'DELETE',
    path: '/maintenance/{maintenance_id}',
    operationId: 'cancelMaintenance',
    summary: 'End a maintenance window that has started, or cancel one that has not',
    params,
    problems: [problems.maintenance_not_found],
    handle: ({ params: { maintenance_id } }) => acts.cancel(maintenance_id),
  });
