import { exactly, optional, orbId, timestamp, type Infer } from '../../kernel/index.ts';
import type { ScheduleRow, SlotRow } from './store.ts';

const time = { type: 'string', format: 'date-time' } as const;
const cron = { type: 'string', minLength: 1, maxLength: 100, pattern: '^[\\x20-\\x7e]+$' } as const;
const timezone = { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_+/-]+$' } as const;

const parts = {
  orb_id: { ...orbId, description: 'The Orb to run' },
  cron: {
    ...cron,
    description:
      'Minute, hour, day of the month, month, weekday: `30 8 * * MON-FRI`. With both kinds of days, either is enough',
  },
  timezone: { ...timezone, description: 'IANA time zone of the fields: `Europe/Berlin`' },
  overlap: {
    enum: ['skip', 'queue'],
    description: 'When the run before has not ended: leave the slot out, or queue it',
  },
  catch_up: { enum: ['none', 'one'], description: 'When slots were missed: run none of them, or one' },
} as const;

/** What a schedule has unless it is asked for otherwise, by the API and by the command. */
export const scheduleDefaults = { timezone: 'UTC', overlap: 'skip', catch_up: 'none' } as const;

/** Schema of the body that makes a schedule. */
export const scheduleRequest = exactly('ScheduleRequest', {
  ...parts,
  timezone: optional({ ...parts.timezone, default: scheduleDefaults.timezone }),
  overlap: optional({ ...parts.overlap, default: scheduleDefaults.overlap }),
  catch_up: optional({ ...parts.catch_up, default: scheduleDefaults.catch_up }),
  inputs: optional({
    type: 'object',
    description: "Fits the Orb's inputs_schema; kept sealed, never shown. Default: no inputs",
  }),
  until: optional({ ...time, maxLength: 40, description: 'No slot after this. Default: no end' }),
});

/** The body that makes a schedule. */
export type ScheduleRequest = Infer<typeof scheduleRequest>;

/** Schema of a schedule. */
export const scheduleSchema = exactly('Schedule', {
  schedule_id: { type: 'string', description: 'Id of the schedule' },
  orbiset_id: { type: 'string', description: 'Where it runs' },
  ...parts,
  until: optional({ ...time, description: 'No slot after this' }),
  state: { enum: ['active', 'paused', 'ended'], description: '`ended`: there is no further slot' },
  reason: optional({ type: 'string', description: 'Why it paused by itself' }),
  principal: { type: 'string', description: 'Whose runs they are' },
  key_id: { type: 'string', description: 'The key whose scopes they have' },
  mode: { enum: ['live', 'test'], description: 'Mode of the key' },
  created_at: { ...time, description: 'When it was made' },
  next_at: optional({ ...time, description: 'The next slot' }),
  last_run_id: optional({ type: 'string', description: 'The newest run' }),
});

/** Schema of a page of schedules. */
export const schedulePage = exactly('SchedulePage', {
  schedules: { type: 'array', items: scheduleSchema, description: 'Newest first' },
  next_cursor: optional({ type: 'string', description: 'Absent on the last page' }),
});

const slotSchema = exactly('ScheduleRun', {
  planned_at: { ...time, description: 'The slot' },
  at: { ...time, description: 'When it was looked at' },
  outcome: {
    enum: ['run', 'denied', 'overlapped', 'missed', 'failed'],
    description: '`run`: put into the queue; `overlapped`: the run before had not ended',
  },
  run_id: optional({ type: 'string', description: 'The run' }),
  status: optional({ type: 'string', description: 'How the run ended; absent: it has not' }),
  code: optional({ type: 'string', description: 'The problem of a slot without a run' }),
});

/** Schema of a page of slots. */
export const slotPage = exactly('ScheduleRunPage', {
  runs: { type: 'array', items: slotSchema, description: 'Slots, newest first; the newest 500 are kept' },
  next_cursor: optional({ type: 'string', description: 'Absent on the last page' }),
});

/** A schedule as it is shown. */
export type Schedule = Infer<typeof scheduleSchema>;

/** A slot as it is shown. */
export type ScheduleRun = Infer<typeof slotSchema>;

/** Shows a schedule. */
export function shownSchedule(row: ScheduleRow): Schedule {
  const { schedule_id, orbiset_id, orb_id, cron, timezone, overlap, catch_up, state, principal, key_id, mode } = row;
  return {
    ...{ schedule_id, orbiset_id, orb_id, cron, timezone, overlap, catch_up, state, principal, key_id, mode },
    created_at: timestamp(row.created_at),
    ...(row.until_at === null ? {} : { until: timestamp(row.until_at) }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.next_at === null ? {} : { next_at: timestamp(row.next_at) }),
    ...(row.last_run_id === null ? {} : { last_run_id: row.last_run_id }),
  };
}

/** Shows a slot; `status`: how its run ended. */
export function shownSlot({ planned_at, at, outcome, run_id, code }: SlotRow, status: string | undefined): ScheduleRun {
  return {
    planned_at: timestamp(planned_at),
    at: timestamp(at),
    outcome,
    ...(run_id === null ? {} : { run_id }),
    ...(status === undefined ? {} : { status }),
    ...(code === null ? {} : { code }),
  };
}
