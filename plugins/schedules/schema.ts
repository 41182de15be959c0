import { exactly, optional, type Infer } from '../../kernel/index.ts';
import { orbId } from '../runtime/contract.ts';

const time = { type: 'string', format: 'date-time' } as const;
const cron = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: '^[\\x20-\\x7e]+$',
  examples: ['0 9 * * 1-5'],
} as const;
const timezone = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9_+/-]+$',
  examples: ['Europe/Berlin'],
} as const;

const parts = {
  orb_id: { ...orbId, description: 'The Orb to run' },
  cron: {
    ...cron,
    description:
      'Minute, hour, day of the month, month, weekday: `30 8 * * MON-FRI`. If both days are given, one match is enough',
  },
  timezone: { ...timezone, description: 'IANA time zone of the pattern: `Europe/Berlin`' },
  overlap: {
    enum: ['skip', 'queue'],
    description: 'What to do if the previous run has not ended: skip the slot, or queue a run',
  },
  catch_up: { enum: ['none', 'one'], description: 'What to do after missed slots: run none of them, or one' },
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
    description:
      "Inputs of the runs, valid for the Orb's inputs_schema; stored sealed, never shown. Default: no inputs",
  }),
  until: optional({ ...time, maxLength: 40, description: 'The schedule has no slot after this time. Default: no end' }),
});

const until = { maxLength: 40, description: 'The schedule has no slot after this time; null: no end' } as const;

/** Schema of the body that changes a schedule; what is absent stays. */
export const scheduleChange = exactly('ScheduleChange', {
  cron: optional(parts.cron),
  timezone: optional(parts.timezone),
  overlap: optional(parts.overlap),
  catch_up: optional(parts.catch_up),
  until: optional({ type: ['string', 'null'], format: 'date-time', ...until }),
  inputs: optional({ type: 'object', description: 'With new inputs the schedule takes your key' }),
});

/** Schema of a run that was started outside of the planned times. */
export const startedRun = exactly('StartedRun', { run_id: { type: 'string', description: 'Id of the run' } });

/** The body that makes a schedule. */
export type ScheduleRequest = Infer<typeof scheduleRequest>;

/** Schema of a schedule. */
export const scheduleSchema = exactly('Schedule', {
  schedule_id: { type: 'string', description: 'Id of the schedule' },
  orbiset_id: { type: 'string', description: 'Id of the Orbiset in which it runs' },
  ...parts,
  until: optional({ ...time, description: 'The schedule has no slot after this time' }),
  state: { enum: ['active', 'paused', 'ended'], description: '`ended`: there is no further slot' },
  reason: optional({ type: 'string', description: 'Why the server paused it' }),
  principal: { type: 'string', description: 'The principal of its runs' },
  key_id: { type: 'string', description: 'The key whose scopes its runs have' },
  mode: { enum: ['live', 'test'], description: 'Mode of the key' },
  created_at: { ...time, description: 'When it was created' },
  next_at: optional({ ...time, description: 'Time of the next slot' }),
  last_run_id: optional({ type: 'string', description: 'Id of the newest run' }),
  upcoming: optional({
    type: 'array',
    items: time,
    description: 'Times of the next five slots; only where one schedule is read',
  }),
});

/** Schema of a page of schedules. */
export const schedulePage = exactly('SchedulePage', {
  schedules: { type: 'array', items: scheduleSchema, description: 'The schedules, newest first' },
  next_cursor: optional({ type: 'string', description: 'Absent on the last page' }),
});

/** Schema of a slot with its run. */
export const slotSchema = exactly('ScheduleRun', {
  planned_at: { ...time, description: 'Planned time of the slot' },
  at: { ...time, description: 'When the server processed the slot' },
  outcome: {
    enum: ['run', 'started', 'denied', 'overlapped', 'missed', 'failed'],
    description: '`run`: the run was queued; `started`: by a caller; `overlapped`: the previous run had not ended',
  },
  run_id: optional({ type: 'string', description: 'Id of the run' }),
  status: optional({ type: 'string', description: 'Status of the finished run; absent: it has not finished' }),
  code: optional({ type: 'string', description: 'Problem code, if the slot has no run' }),
});

/** Schema of a page of slots. */
export const slotPage = exactly('ScheduleRunPage', {
  runs: { type: 'array', items: slotSchema, description: 'The slots, newest first; the newest 500 are kept' },
  next_cursor: optional({ type: 'string', description: 'Absent on the last page' }),
});

/** A schedule as it is shown. */
export type Schedule = Infer<typeof scheduleSchema>;

/** A slot as it is shown. */
export type ScheduleRun = Infer<typeof slotSchema>;
