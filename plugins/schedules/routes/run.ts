import { createHash } from 'node:crypto';
import { defineRoute, holds, operation, reply, requireAnyScope, type Route } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import { startedRun } from '../schema.ts';
import { openInputs } from '../slots/inputs.ts';
import schedulesStore from '../store.ts';
import { findSchedule, managed, requireMode, scheduleParams, type RouteScope } from './scope.ts';
import { idempotencyKey } from '../../runtime/contract.ts';

/** Answers `POST /orbisets/{id}/schedules/{schedule_id}/run`. */
export const runRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...managed,
    method: 'POST',
    path: '/orbisets/{id}/schedules/{schedule_id}/run',
    operationId: 'runSchedule',
    alsoNeeds: 'orbs:execute for the Orb',
    summary: 'Run a schedule once now, with its inputs and its key; its times stay',
    reads: ['Idempotency-Key'],
    params: scheduleParams,
    response: startedRun,
    status: 202,
    sends: { Location: true, 'Idempotent-Replayed': true },
    problems: [
      ...[problems.schedule_not_found, 'orbiset_not_found', 'orb_not_found', 'invalid_inputs', 'access_denied'],
      ...['approval_required', 'idempotency_in_progress', 'idempotency_mismatch', 'policy_unavailable', 'queue_full'],
      ...[problems.slot_taken, 'overloaded', 'storage_unavailable'],
    ],
    async handle({ params, principal: caller, client_ip, headers }) {
      const { credential, ids, clock, runtime } = scope;
      const row = await findSchedule(scope, params, caller);
      const { schedule_id, orbiset_id, orb_id } = row;
      requireMode(row, caller);
      requireAnyScope(caller, 'orbs:execute', orb_id);
      const known = credential(row.key_id, { unexpired: true });
      // As a resumed schedule, it takes the key of the caller if its own cannot run it.
      const own = known !== undefined && holds(known.scopes, 'orbs:execute', orb_id);
      const by = own ? { principal: known, client_ip: row.client_ip } : { principal: caller, client_ip };
      const inputs = await openInputs(scope, schedule_id);
      const key = keyOf([schedule_id, caller.id, idempotencyKey(headers['idempotency-key']) ?? ids('slt')]);
      const call = { orbiset_id, orb_id, inputs, ...by, channel: { kind: 'schedule' } };
      const { run_id, replayed } = await runtime.enqueue(call, key, (run) => [
        operation(schedulesStore, 'note', {
          ...{ slot_id: ids('slt'), schedule_id, at: clock.now(), outcome: 'started', run_id: run, code: null },
        }),
      ]);
      return reply({
        status: 202,
        headers: { Location: `/runs/${run_id}`, ...(replayed && { 'Idempotent-Replayed': 'true' }) },
        body: { run_id },
      });
    },
  });

const keyOf = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex');
