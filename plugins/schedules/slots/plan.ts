import { createHash } from 'node:crypto';
import { timestamp } from '../../../kernel/index.ts';
import type { ScheduleRow } from '../store.ts';
import type { SlotTimes } from './times.ts';

/** A slot that is looked at later than this after its time was missed: the server was down, or the clock jumped. */
export const graceMs = 60_000;

/** What is to become of the planned slot, and which one comes after it; null: none. */
export type Plan = ReturnType<typeof planOf>;

type Planned = Pick<ScheduleRow, 'cron' | 'timezone' | 'until_at' | 'catch_up'>;

/** Finds the first slot of a schedule after a moment, ms, up to its end; null: there is none. */
export function slotAfter(schedule: Planned, ms: number, times: SlotTimes): number | null {
  const at = times.after(schedule, ms);
  return at === undefined || (schedule.until_at !== null && at > schedule.until_at) ? null : at;
}

/**
 * Decides on the planned slot at a time. Of the slots that were missed, the first one is run or none, as the schedule
 * says; what is not missed yet follows.
 */
export function planOf(schedule: Planned, planned: number, now: number, times: SlotTimes) {
  const missed = now - planned > graceMs;
  return {
    act: missed && schedule.catch_up === 'none' ? 'missed' : 'run',
    next_at: slotAfter(schedule, missed ? Math.max(planned, now - graceMs - 1) : planned, times),
  };
}

/** Makes the Idempotency-Key of a slot, so that repeated requests from any node start only one run. */
export function slotKey(scheduleId: string, planned: number): string {
  return createHash('sha256')
    .update(`${scheduleId}\n${timestamp(planned)}`)
    .digest('hex');
}
