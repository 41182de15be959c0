import { keptSlots, slotClaim, type SlotRow, type Taking } from './rows.ts';
import { problems } from '../problems.ts';
import { PlatformError, type WriteConnection, type WriteContext } from '../../../kernel/index.ts';

const minuteMs = 60_000;

/** Makes the writes of slots. */
export function slotWrites(connection: WriteConnection) {
  const find = connection.prepare(
    "SELECT floor_at FROM schedules_schedules WHERE schedule_id = ? AND state = 'active' AND next_at = ?",
  );
  const advance = connection.prepare(
    `UPDATE schedules_schedules SET next_at = ?, due_at = ?, computed_at = ?, state = ?, floor_at = ?,
       last_run_id = coalesce(?, schedules_schedules.last_run_id)
     WHERE schedule_id = ? AND state = 'active' AND next_at = ?`,
  );
  const floorRow = connection.prepare('SELECT floor_at FROM schedules_schedules WHERE schedule_id = ?');
  const started = connection.prepare(
    'UPDATE schedules_schedules SET floor_at = ?, last_run_id = ? WHERE schedule_id = ?',
  );
  const floorOf = floorFinder(connection);
  return {
    /**
     * Takes the planned slot and plans the next one. Throws `slot_taken`, so that a run that commits with it is none,
     * when the slot was taken before, or the schedule was changed meanwhile; with `passed` it only plans the next one.
     */
    async take(
      { now, next_at, passed, ...slot }: Taking & { readonly passed: boolean },
      write: WriteContext,
    ): Promise<void> {
      const { schedule_id, planned_at, run_id } = slot;
      const floor = (await find.get(schedule_id, planned_at))?.['floor_at'];
      if (floor === undefined && passed) return;
      if (floor === undefined) throw taken();
      const over =
        planned_at <= Number(floor) || (await write.claim(slotClaim, { row: { ...slot, at: now } })) !== undefined;
      if (over && !passed) throw taken();
      const state = next_at === null ? 'ended' : 'active';
      const kept = await floorOf(schedule_id, Number(floor));
      const values = [next_at, next_at, now, state, kept, over ? null : run_id, schedule_id, planned_at] as const;
      // Another node may pause or delete the schedule since it was read: then no run comes to be.
      if (passed) advance.queue(...values);
      else advance.must(...values);
    },
    /**
     * Notes a run that a caller started outside of the planned times; commits with it. Throws `slot_taken` when the
     * schedule was deleted meanwhile, so that there is no run.
     */
    async note({ at, ...slot }: Omit<SlotRow, 'planned_at'>, write: WriteContext): Promise<void> {
      const { run_id, schedule_id } = slot;
      const floor = (await floorRow.get(schedule_id))?.['floor_at'];
      if (floor === undefined) throw taken();
      // Planned slots are at whole minutes: this one takes none of theirs, nor that of another caller.
      for (let planned_at = at; ; planned_at += 1) {
        if (planned_at % minuteMs === 0) continue;
        if ((await write.claim(slotClaim, { row: { ...slot, planned_at, at } })) === undefined) break;
      }
      started.queue(await floorOf(schedule_id, Number(floor)), run_id, schedule_id);
    },
  };
}

function floorFinder(connection: WriteConnection) {
  const oldest = connection.prepare(
    'SELECT planned_at FROM schedules_slots WHERE schedule_id = ? ORDER BY planned_at DESC LIMIT 1 OFFSET ?',
  );
  const forget = connection.prepare('DELETE FROM schedules_slots WHERE schedule_id = ? AND planned_at <= ?');
  // A deleted slot could be taken again, so no slot up to there is taken.
  return async (schedule_id: string, floor: number): Promise<number> => {
    const planned = (await oldest.get(schedule_id, keptSlots))?.['planned_at'];
    if (planned === undefined) return floor;
    forget.queue(schedule_id, Number(planned));
    return Math.max(floor, Number(planned));
  };
}

function taken(): PlatformError {
  return new PlatformError(problems.slot_taken, 'the slot already has a run, or the schedule was changed since');
}
