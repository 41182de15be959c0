import { defineRoute, idOfCursor, nextOf, pageQuery, timestamp, type Route } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import { schedulePage, scheduleSchema, slotPage } from '../schema.ts';
import { slotAfter } from '../slots/plan.ts';
import { loadTimes } from '../slots/times.ts';
import type { ScheduleRow } from '../store.ts';
import { findSchedule, managed, scheduleParams, shownSchedule, shownSlot, type RouteScope } from './scope.ts';
import { orbisetOf, orbisetParams } from '../../runtime/contract.ts';

const query = { type: 'object', additionalProperties: false, properties: pageQuery } as const;

/** Makes the routes that show schedules. */
export function readRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), showRoute(scope), slotsRoute(scope)];
}

const listRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/orbisets/{id}/schedules',
    operationId: 'listSchedules',
    summary: 'List the schedules of an Orbiset, newest first',
    params: orbisetParams,
    query,
    response: schedulePage,
    problems: ['orbiset_not_found'],
    async handle({ params, query: { limit, cursor }, principal }) {
      const { id: of } = orbisetOf(scope.runtime.catalog.orbisets, params.id, principal);
      const page = await scope.lists.list({ of, before: idOfCursor(cursor, 'sch_'), limit });
      return { schedules: page.items.map(shownSchedule), ...nextOf(page) };
    },
  });

const showRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/orbisets/{id}/schedules/{schedule_id}',
    operationId: 'getSchedule',
    summary: 'Read a schedule, with the times of its next slots',
    params: scheduleParams,
    response: scheduleSchema,
    problems: [problems.schedule_not_found],
    async handle({ params, principal }) {
      const row = await findSchedule(scope, params, principal);
      return { ...shownSchedule(row), upcoming: await upcomingOf(row) };
    },
  });

const mostUpcoming = 5;

async function upcomingOf(row: ScheduleRow): Promise<string[]> {
  const { next_at, state } = row;
  if (state !== 'active' || next_at === null) return [];
  const times = await loadTimes();
  const found: number[] = [];
  for (let at: number | null = next_at; at !== null && found.length < mostUpcoming; at = slotAfter(row, at, times))
    found.push(at);
  return found.map(timestamp);
}

const slotsRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'GET',
    path: '/orbisets/{id}/schedules/{schedule_id}/runs',
    operationId: 'listScheduleRuns',
    summary: 'List the slots of a schedule with their runs, newest first',
    params: scheduleParams,
    query,
    response: slotPage,
    problems: [problems.schedule_not_found],
    async handle({ params, query: { limit, cursor }, principal }) {
      const { schedule_id: of } = await findSchedule(scope, params, principal);
      const page = await scope.lists.slots({ of, before: idOfCursor(cursor, 'slt_'), limit });
      const runs = await scope.runtime.findRuns(page.items.flatMap(({ run_id }) => run_id ?? []));
      const statusOf = new Map(runs.map(({ run_id, status }) => [run_id, status]));
      return { runs: page.items.map((slot) => shownSlot(slot, statusOf.get(slot.run_id ?? ''))), ...nextOf(page) };
    },
  });
