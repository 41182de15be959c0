import {
  defineRoute,
  holds,
  operation,
  PlatformError,
  reply,
  requireAnyScope,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import { scheduleSchema } from '../schema.ts';
import { slotAfter } from '../slots/plan.ts';
import { loadTimes } from '../slots/times.ts';
import schedulesStore, { type ScheduleRow } from '../store.ts';

import { findSchedule, managed, requireMode, scheduleParams, shownSchedule, type RouteScope } from './scope.ts';

/** Makes the routes that pause, resume and delete a schedule. */
export function changeRoutes(scope: RouteScope): readonly Route[] {
  return [pauseRoute(scope), resumeRoute(scope), deleteRoute(scope)];
}

const notFound = [problems.schedule_not_found, 'storage_unavailable'] as const;

const pauseRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'POST',
    path: '/orbisets/{id}/schedules/{schedule_id}/pause',
    operationId: 'pauseSchedule',
    summary: 'Pause a schedule; runs that it already started continue',
    params: scheduleParams,
    response: scheduleSchema,
    problems: notFound,
    async handle({ params, principal }) {
      const { schedule_id } = await found(scope, params, principal);
      await scope.store.write([operation(schedulesStore, 'stop', { schedule_id, reason: null })]);
      return shownSchedule(await findSchedule(scope, params, principal));
    },
  });

const resumeRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'POST',
    path: '/orbisets/{id}/schedules/{schedule_id}/resume',
    operationId: 'resumeSchedule',
    summary: 'Resume a paused schedule; if its key no longer exists, the schedule takes your key',
    params: scheduleParams,
    response: scheduleSchema,
    problems: [...notFound, problems.schedule_ended],
    async handle({ params, principal, client_ip }) {
      const row = await found(scope, params, principal);
      if (row.state === 'active') return shownSchedule(row);
      const times = await loadTimes();
      const now = scope.clock.now();
      const next_at = row.state === 'ended' ? null : slotAfter(row, Math.max(now, row.floor_at), times);
      if (next_at === null) throw new PlatformError(problems.schedule_ended, `${row.schedule_id} has no further slot`);
      const owner = ownerOf(row, { principal, client_ip }, scope);
      const resumed = { ...row, ...owner, next_at, computed_at: now };
      await scope.store.write([operation(schedulesStore, 'resume', resumed)]);
      scope.stops.ended(row);
      return shownSchedule(await findSchedule(scope, params, principal));
    },
  });

const deleteRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'DELETE',
    path: '/orbisets/{id}/schedules/{schedule_id}',
    operationId: 'deleteSchedule',
    summary: 'Delete a schedule with its inputs; runs that it already started continue',
    params: scheduleParams,
    status: 204,
    problems: notFound,
    async handle({ params, principal }) {
      const row = await found(scope, params, principal);
      await scope.store.write([operation(schedulesStore, 'remove', { schedule_id: row.schedule_id })]);
      scope.stops.ended(row);
      return reply({ status: 204 });
    },
  });

async function found(
  scope: RouteScope,
  params: Parameters<typeof findSchedule>[1],
  caller: Principal,
): Promise<ScheduleRow> {
  const row = await findSchedule(scope, params, caller);
  requireMode(row, caller);
  return row;
}

// A schedule stays its maker's while the maker's key can run it.
function ownerOf(
  { key_id, orb_id, principal: owner, mode, client_ip: address }: ScheduleRow,
  { principal, client_ip }: { readonly principal: Principal; readonly client_ip: string },
  { credential }: RouteScope,
) {
  const known = credential(key_id, { unexpired: true });
  if (known !== undefined && holds(known.scopes, 'orbs:execute', orb_id))
    return { principal: owner, key_id, mode, client_ip: address };
  requireAnyScope(principal, 'orbs:execute', orb_id);
  return { principal: principal.id, key_id: principal.key_id, mode: principal.mode, client_ip };
}
