import { defineRoute, operation, reply, type RequestInfo, type Principal, type Route } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import { scheduleRequest, scheduleSchema, type ScheduleRequest } from '../schema.ts';
import { loadTimes, type SlotTimes } from '../slots/times.ts';
import schedulesStore, { type NewSchedule } from '../store.ts';
import { checkInputs, endOf, firstSlot, timeFaults } from './checks.ts';
import { managed, shownSchedule, type RouteScope } from './scope.ts';
import { inputFaults, orbisetOf, orbisetParams, type Orbiset } from '../../runtime/contract.ts';

/** Answers `POST /orbisets/{id}/schedules`. */
export const createRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'POST',
    path: '/orbisets/{id}/schedules',
    operationId: 'createSchedule',
    alsoNeeds: 'orbs:execute for the Orb',
    summary: 'Run an Orb on a schedule, at the times of a cron pattern',
    params: orbisetParams,
    body: scheduleRequest,
    bodyFaults: (body, caller) => [...timeFaults(body), ...inputFaults(body, caller, scope.runtime)],
    // Each schedule keeps its inputs.
    bodyLimit: 131_072,
    response: scheduleSchema,
    status: 201,
    sends: { Location: true },
    problems: ['orbiset_not_found', 'orb_not_found', 'invalid_inputs', problems.schedule_limit, 'storage_unavailable'],
    async handle({ params, body, principal, client_ip }) {
      const orbiset = orbisetOf(scope.runtime.catalog.orbisets, params.id, principal);
      checkInputs(body, orbiset, principal, scope);
      const times = await loadTimes();
      const row = newSchedule(body, { scope, orbiset, principal, client_ip, times });
      const inputs = JSON.stringify(body.inputs ?? {});
      await scope.store.write([operation(schedulesStore, 'create', { ...row, inputs, most: scope.most })]);
      const headers = { Location: `/orbisets/${orbiset.id}/schedules/${row.schedule_id}` };
      return reply({ status: 201, headers, body: shownSchedule(row) });
    },
  });

interface Making extends Pick<RequestInfo, 'client_ip'> {
  readonly principal: Principal;
  readonly scope: RouteScope;
  readonly orbiset: Orbiset;
  readonly times: SlotTimes;
}

function newSchedule(body: ScheduleRequest, making: Making): Omit<NewSchedule, 'inputs' | 'most'> {
  const { scope, orbiset, principal, client_ip, times } = making;
  const { orb_id, cron, timezone, overlap, catch_up, until } = body;
  const now = scope.clock.now();
  const until_at = endOf(until, now);
  const next_at = firstSlot({ cron, timezone, until_at, catch_up }, now, times);
  return {
    ...{ schedule_id: scope.ids('sch'), orbiset_id: orbiset.id, tenant: orbiset.tenant, orb_id, client_ip },
    ...{ principal: principal.id, key_id: principal.key_id, mode: principal.mode },
    ...{ cron, timezone, overlap, catch_up, until_at, state: 'active', reason: null, created_at: now },
    ...{ next_at, due_at: next_at, computed_at: now, floor_at: 0, last_run_id: null },
  };
}
