import { exactly, PlatformError, type AwaitedReads, type Principal } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import type { ScheduleScope } from '../scope.ts';
import type { Stops } from '../slots/stops.ts';
import type { ScheduleReads, ScheduleRow } from '../store.ts';
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
