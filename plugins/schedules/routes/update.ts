import { defineRoute, operation, requireAnyScope, type Route } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import { scheduleChange, scheduleSchema } from '../schema.ts';
import { loadTimes } from '../slots/times.ts';
import schedulesStore, { type ScheduleRow } from '../store.ts';
import { checkInputs, endOf, firstSlot, timeFaults } from './checks.ts';
import { findSchedule, managed, requireMode, scheduleParams, shownSchedule, type RouteScope } from './scope.ts';
import { orbisetOf } from '../../runtime/contract.ts';

/** Answers `PATCH /orbisets/{id}/schedules/{schedule_id}`. */
export const updateRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'PATCH',
    path: '/orbisets/{id}/schedules/{schedule_id}',
    operationId: 'updateSchedule',
    alsoNeeds: 'orbs:execute for the Orb',
    summary: 'Change the times, the rules or the inputs of a schedule',
    params: scheduleParams,
    body: scheduleChange,
    bodyFaults: (body) => timeFaults(body),
    bodyLimit: 131_072,
    response: scheduleSchema,
    problems: [
      ...[problems.schedule_not_found, 'orbiset_not_found', 'orb_not_found', 'invalid_inputs'],
      'storage_unavailable',
    ],
    async handle({ params, body, principal, client_ip }) {
      const before = await findSchedule(scope, params, principal);
      requireMode(before, principal);
      requireAnyScope(principal, 'orbs:execute', before.orb_id);
      const { inputs, until, ...rules } = body;
      if (inputs !== undefined) {
        const orbiset = orbisetOf(scope.runtime.catalog.orbisets, params.id, principal);
        checkInputs({ orb_id: before.orb_id, inputs }, orbiset, principal, scope);
      }
      const now = scope.clock.now();
      const until_at = until === undefined ? before.until_at : endOf(until, now);
      // What runs with a key is what the holder of the key chose.
      const owner = { principal: principal.id, key_id: principal.key_id, mode: principal.mode, client_ip };
      const row: ScheduleRow = { ...before, ...rules, until_at, ...(inputs === undefined ? {} : owner) };
      const timed = row.cron !== before.cron || row.timezone !== before.timezone || until_at !== before.until_at;
      const after = Math.max(now, before.floor_at);
      const planned = timed ? { next_at: firstSlot(row, after, await loadTimes()), now } : undefined;
      const text = inputs === undefined ? undefined : JSON.stringify(inputs);
      await scope.store.write([operation(schedulesStore, 'change', { row, inputs: text, planned })]);
      return shownSchedule(await findSchedule(scope, params, principal));
    },
  });
