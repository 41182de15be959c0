import type { ScheduleRow, Taking } from './rows.ts';
import type { WriterScope } from '../../../kernel/index.ts';

/** Makes the writes that change a schedule. */
export function changeWrites({ connection, sealer }: WriterScope) {
  const later = connection.prepare(
    `UPDATE schedules_schedules SET due_at = ?, computed_at = ?
     WHERE schedule_id = ? AND state = 'active' AND next_at = ?`,
  );
  const recompute = connection.prepare(
    `UPDATE schedules_schedules SET next_at = ?, due_at = ?, computed_at = ?
     WHERE schedule_id = ? AND state = 'active' AND computed_at = ?`,
  );
  const stop = connection.prepare(
    `UPDATE schedules_schedules SET state = 'paused', reason = ?, next_at = NULL, due_at = NULL
     WHERE schedule_id = ? AND state = 'active'`,
  );
  const resume = connection.prepare(
    `UPDATE schedules_schedules SET state = 'active', reason = NULL, next_at = ?, due_at = ?, computed_at = ?,
       principal = ?, key_id = ?, mode = ?, client_ip = ? WHERE schedule_id = ? AND state = 'paused'`,
  );
  const setRules = connection.prepare(
    `UPDATE schedules_schedules SET cron = ?, timezone = ?, overlap = ?, catch_up = ?, until_at = ?
     WHERE schedule_id = ?`,
  );
  const setNext = connection.prepare(
    `UPDATE schedules_schedules SET next_at = ?, due_at = ?, computed_at = ?, state = 'active'
     WHERE schedule_id = ? AND state <> 'paused'`,
  );
  const setInputs = connection.prepare(
    `UPDATE schedules_schedules SET inputs = ?, principal = ?, key_id = ?, mode = ?, client_ip = ?
     WHERE schedule_id = ?`,
  );
  return {
    /** Looks at the planned slot again at a later time; if the clock turns out to be set back, as soon as that shows. */
    later: ({ schedule_id, next_at, due_at, now }: Later): void => later.queue(due_at, now, schedule_id, next_at),
    /** Plans another slot, because the clock was set back. */
    recompute: ({ schedule_id, next_at, computed_at, now }: Recomputing): void =>
      recompute.queue(next_at, next_at, now, schedule_id, computed_at),
    /** Pauses an active schedule; answers whether it was active. */
    async stop({ schedule_id, reason }: Pick<ScheduleRow, 'schedule_id' | 'reason'>): Promise<boolean> {
      return (await stop.run(reason, schedule_id)) > 0;
    },
    /** Goes on with a paused schedule, as its present or another caller. */
    resume: ({ next_at, computed_at, principal, key_id, mode, client_ip, schedule_id }: ScheduleRow): void =>
      resume.queue(next_at, next_at, computed_at, principal, key_id, mode, client_ip, schedule_id),
    /** Changes the rules of a schedule; with new times its next slot; with new inputs its owner. */
    change({ row, inputs, planned }: ScheduleChange): void {
      const { schedule_id, cron, timezone, overlap, catch_up, until_at } = row;
      setRules.queue(cron, timezone, overlap, catch_up, until_at, schedule_id);
      if (planned !== undefined) setNext.queue(planned.next_at, planned.next_at, planned.now, schedule_id);
      if (inputs === undefined) return;
      const sealed = sealer.seal('schedules', Buffer.from(inputs));
      setInputs.queue(sealed, row.principal, row.key_id, row.mode, row.client_ip, schedule_id);
    },
  };
}

/** A schedule as it becomes. */
export interface ScheduleChange {
  readonly row: ScheduleRow;
  /** New inputs as JSON text, which the owner of the row gave; sealed at rest. */
  readonly inputs?: string | undefined;
  /** The next slot of new times. A paused schedule gets it when it is resumed. */
  readonly planned?: { readonly next_at: number; readonly now: number } | undefined;
}

type Later = Pick<ScheduleRow, 'schedule_id' | 'next_at' | 'due_at'> & Pick<Taking, 'now'>;
type Recomputing = Pick<ScheduleRow, 'schedule_id' | 'next_at' | 'computed_at'> & Pick<Taking, 'now'>;
