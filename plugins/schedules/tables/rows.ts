import type { Claim } from '../../../kernel/index.ts';
import type { Schedule, ScheduleRun } from '../schema.ts';

/** A schedule without its inputs. Times are milliseconds since the Unix epoch. */
export interface ScheduleRow extends Omit<
  Schedule,
  'until' | 'reason' | 'created_at' | 'next_at' | 'last_run_id' | 'upcoming'
> {
  readonly tenant: string;
  /** Address from which it was made: what a policy reads as the caller's. */
  readonly client_ip: string;
  readonly until_at: number | null;
  /** Why it stopped by itself; null: a caller paused it. */
  readonly reason: string | null;
  readonly created_at: number;
  /** The next slot; null: none is planned. */
  readonly next_at: number | null;
  /** When the next slot is looked at; after a failure later than the slot. */
  readonly due_at: number | null;
  /** What the clock showed when `next_at` was computed: later than now, the clock was set back. */
  readonly computed_at: number;
  /** Slots up to here are over, known or not. */
  readonly floor_at: number;
  readonly last_run_id: string | null;
}

/** A slot that was looked at. */
export interface SlotRow {
  readonly slot_id: string;
  readonly schedule_id: string;
  readonly planned_at: number;
  readonly at: number;
  readonly outcome: ScheduleRun['outcome'];
  readonly run_id: string | null;
  /** Code of the problem. */
  readonly code: string | null;
}

/** A slot that is taken, and what comes after it. */
export interface Taking extends Omit<SlotRow, 'at'> {
  /** null: it was the last one. */
  readonly next_at: number | null;
  /** What the clock shows. */
  readonly now: number;
}

/** Columns of schedules, except their inputs. */
export const columns = [
  ...(['schedule_id', 'orbiset_id', 'tenant', 'orb_id', 'principal', 'key_id', 'mode', 'client_ip', 'cron'] as const),
  ...(['timezone', 'overlap', 'catch_up', 'until_at', 'state', 'reason', 'created_at', 'next_at', 'due_at'] as const),
  ...(['computed_at', 'floor_at', 'last_run_id'] as const),
] satisfies (keyof ScheduleRow)[];

/** Columns of slots. */
export const slotColumns = ['slot_id', 'schedule_id', 'planned_at', 'at', 'outcome', 'run_id', 'code'] as const;

/** However many nodes look at a slot, and however often: one of them takes it. */
export const slotClaim: Claim = {
  table: 'schedules_slots',
  columns: slotColumns,
  key: ['schedule_id', 'planned_at'],
  holder: 'slot_id',
};

/** Slots of a schedule that are kept. */
export const keptSlots = 500;
