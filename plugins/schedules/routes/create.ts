import {
  defineRoute,
  operation,
  PlatformError,
  requireAnyScope,
  reply,
  type Fault,
  type RequestInfo,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import { scheduleRequest, scheduleSchema, type ScheduleRequest } from '../schema.ts';
import { patternFault, zoneFault } from '../slots/faults.ts';
import { slotAfter } from '../slots/plan.ts';
import { loadTimes, type SlotTimes } from '../slots/times.ts';
import schedulesStore, { type NewSchedule } from '../store.ts';
import { managed, shownSchedule, type RouteScope } from './scope.ts';
import {
  admitsOrb,
  inputFaults,
  invalidInputs,
  orbisetOf,
  orbisetParams,
  unknownOrbIn,
  type Orbiset,
} from '../../runtime/contract.ts';

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
      checkOrb(body, orbiset, principal, scope);
      const times = await loadTimes();
      const row = newSchedule(body, { scope, orbiset, principal, client_ip, times });
      const inputs = JSON.stringify(body.inputs ?? {});
      await scope.store.write([operation(schedulesStore, 'create', { ...row, inputs, most: scope.most })]);
      const headers = { Location: `/orbisets/${orbiset.id}/schedules/${row.schedule_id}` };
      return reply({ status: 201, headers, body: shownSchedule(row) });
    },
  });

// What is refused now would be refused at each slot.
function checkOrb(
  { orb_id, inputs = {} }: ScheduleRequest,
  orbiset: Orbiset,
  caller: Principal,
  scope: RouteScope,
): void {
  requireAnyScope(caller, 'orbs:execute', orb_id);
  const { orbs } = scope.runtime.catalog;
  const orb = orbs.get(orb_id);
  if (orb === undefined || !admitsOrb(orbiset, orb_id))
    throw unknownOrbIn(orbiset, orb_id, caller, scope.runtime.catalog);
  // The validator fills in defaults, which may be others when the Orb runs.
  const faults = orb.inputs.validate(structuredClone(inputs));
  if (faults.length > 0) throw invalidInputs(orb, faults, scope.runtime.inputsOf(orb.manifest.capability));
}

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
  const until_at = until === undefined ? null : Date.parse(until);
  if (until_at !== null && !(until_at > now)) throw unfit('until', 'must be in the future');
  checkPattern(body, now, times);
  const next_at = slotAfter({ cron, timezone, until_at, catch_up }, now, times);
  if (next_at === null)
    throw unfit(until_at === null ? 'cron' : 'until', 'allows no slot: no time of the pattern is left before the end');
  return {
    ...{ schedule_id: scope.ids('sch'), orbiset_id: orbiset.id, tenant: orbiset.tenant, orb_id, client_ip },
    ...{ principal: principal.id, key_id: principal.key_id, mode: principal.mode },
    ...{ cron, timezone, overlap, catch_up, until_at, state: 'active', reason: null, created_at: now },
    ...{ next_at, due_at: next_at, computed_at: now, floor_at: 0, last_run_id: null },
  };
}

function checkPattern({ cron, timezone }: ScheduleRequest, now: number, times: SlotTimes): void {
  const faults = timeFaults({ cron, timezone });
  if (faults.length > 0) throw unfitAll(faults);
  try {
    times.after({ cron, timezone }, now);
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    throw unfit('cron', `${noPattern}: ${said}; ${fields}`);
  }
}

const noPattern = 'is not a cron pattern of five fields';
const fields =
  'the fields are minute, hour, day of the month, month and weekday, such as 0 8 * * * for every day at 08:00 in `timezone` (UTC unless given)';

// The faults of the times of a body, whether or not the rest of it fits the schema.
function timeFaults({ cron, timezone }: { readonly cron?: unknown; readonly timezone?: unknown }): readonly Fault[] {
  const pattern = typeof cron === 'string' && cron.length <= 100 ? patternFault(cron) : undefined;
  const zone = typeof timezone === 'string' && timezone.length <= 64 ? zoneFault(timezone) : undefined;
  return [
    ...(pattern === undefined ? [] : [{ pointer: '#/cron', detail: `${noPattern}: ${pattern}; ${fields}` }]),
    ...(zone === undefined ? [] : [{ pointer: '#/timezone', detail: zone }]),
  ];
}

function unfitAll(errors: readonly Fault[]): PlatformError {
  const text = errors.map(({ pointer, detail }) => `${pointer.slice(2)} ${detail}`).join('; ');
  return new PlatformError('invalid_body', text, { errors });
}

function unfit(member: keyof ScheduleRequest, detail: string): PlatformError {
  return unfitAll([{ pointer: `#/${member}`, detail }]);
}
