import { exactly, given, PlatformError, timestamp, type AwaitedReads, type Principal } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import type { ScheduleScope } from '../scope.ts';
import type { Stops } from '../slots/stops.ts';
import type { Schedule, ScheduleRun } from '../schema.ts';
import type { ScheduleReads, ScheduleRow, SlotRow } from '../store.ts';
import { orbisetParams } from '../../runtime/contract.ts';

/** What the routes of schedules use. */
export interface RouteScope extends ScheduleScope {
  readonly lists: AwaitedReads<ScheduleReads>;
  readonly stops: Stops;
  /** Most schedules of a tenant. */
  readonly most: number;
}

/** Members that all routes of schedules share. */
export const managed = { service: 'runtime', scope: 'schedules:manage' } as const;

/** Schema of the path of one schedule. */
export const scheduleParams = exactly({
  ...orbisetParams.properties,
  schedule_id: { type: 'string', maxLength: 64, description: 'Id of the schedule' },
});

/** Finds a schedule of the caller's tenant, also when its Orbiset is gone. Throws 404 `schedule_not_found`. */
export async function findSchedule(
  { reads }: Pick<RouteScope, 'reads'>,
  { id, schedule_id }: { readonly id: string; readonly schedule_id: string },
  caller: Principal,
): Promise<ScheduleRow> {
  const row = await reads.find(schedule_id);
  if (row !== undefined && row.orbiset_id === id && reaches(caller, row.tenant)) return row;
  throw new PlatformError(
    problems.schedule_not_found,
    `there is no schedule ${schedule_id} in the Orbiset ${id}; GET /orbisets/${id}/schedules lists them`,
  );
}

/** Refuses a test key for a schedule whose runs are live: 403. */
export function requireMode(row: ScheduleRow, caller: Principal): void {
  if (row.mode === 'test' || caller.mode === 'live') return;
  throw new PlatformError('insufficient_scope', `${row.schedule_id} makes live runs; use a live key`);
}

function reaches({ tenant, scopes }: Principal, owner: string): boolean {
  return tenant === owner || scopes.includes('*');
}

/** Shows a schedule. */
export function shownSchedule(row: ScheduleRow): Schedule {
  const { schedule_id, orbiset_id, orb_id, cron, timezone, overlap, catch_up, state, principal, key_id, mode } = row;
  return {
    ...{ schedule_id, orbiset_id, orb_id, cron, timezone, overlap, catch_up, state, principal, key_id, mode },
    created_at: timestamp(row.created_at),
    ...given({ until: timeOf(row.until_at), reason: row.reason ?? undefined, next_at: timeOf(row.next_at) }),
    ...given({ last_run_id: row.last_run_id ?? undefined }),
  };
}

/** Shows a slot; `status`: how its run ended. */
export function shownSlot({ planned_at, at, outcome, run_id, code }: SlotRow, status: string | undefined): ScheduleRun {
  const known = { run_id: run_id ?? undefined, status, code: code ?? undefined };
  return { planned_at: timestamp(planned_at), at: timestamp(at), outcome, ...given(known) };
}

function timeOf(ms: number | null): string | undefined {
  return ms === null ? undefined : timestamp(ms);
}
