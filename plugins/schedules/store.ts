import {
  defineStore,
  PlatformError,
  queriesOf,
  rowWriter,
  type AwaitableReads,
  type Claim,
  type Connection,
  type Row,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import { problems } from './problems.ts';
import type { Schedule, ScheduleRun } from './schema.ts';

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

/** A list, newest first; `before`: only items with a smaller id. */
export interface ListQuery {
  readonly of: string;
  readonly before: string | undefined;
  readonly limit: number;
}

const migrations = [
  `CREATE TABLE schedules_schedules (
     schedule_id TEXT PRIMARY KEY, orbiset_id TEXT NOT NULL, tenant TEXT NOT NULL, orb_id TEXT NOT NULL,
     principal TEXT NOT NULL, key_id TEXT NOT NULL, mode TEXT NOT NULL, client_ip TEXT NOT NULL, cron TEXT NOT NULL,
     timezone TEXT NOT NULL, overlap TEXT NOT NULL, catch_up TEXT NOT NULL, until_at INTEGER, state TEXT NOT NULL,
     reason TEXT, created_at INTEGER NOT NULL, next_at INTEGER, due_at INTEGER, computed_at INTEGER NOT NULL,
     floor_at INTEGER NOT NULL, last_run_id TEXT, inputs BLOB NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX schedules_schedules_due ON schedules_schedules (due_at) WHERE state = 'active';
   CREATE INDEX schedules_schedules_computed ON schedules_schedules (computed_at) WHERE state = 'active';
   CREATE INDEX schedules_schedules_orbiset ON schedules_schedules (orbiset_id, schedule_id);
   CREATE INDEX schedules_schedules_tenant ON schedules_schedules (tenant);
   CREATE INDEX schedules_schedules_stopped ON schedules_schedules (schedule_id) WHERE reason IS NOT NULL;
   CREATE TABLE schedules_slots (
     slot_id TEXT PRIMARY KEY, schedule_id TEXT NOT NULL, planned_at INTEGER NOT NULL, at INTEGER NOT NULL,
     outcome TEXT NOT NULL, run_id TEXT, code TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX schedules_slots_planned ON schedules_slots (schedule_id, planned_at);
   CREATE INDEX schedules_slots_newest ON schedules_slots (schedule_id, slot_id);`,
];

const columns = [
  ...(['schedule_id', 'orbiset_id', 'tenant', 'orb_id', 'principal', 'key_id', 'mode', 'client_ip', 'cron'] as const),
  ...(['timezone', 'overlap', 'catch_up', 'until_at', 'state', 'reason', 'created_at', 'next_at', 'due_at'] as const),
  ...(['computed_at', 'floor_at', 'last_run_id'] as const),
] satisfies (keyof ScheduleRow)[];

const slotColumns = ['slot_id', 'schedule_id', 'planned_at', 'at', 'outcome', 'run_id', 'code'] as const;

// However many nodes look at a slot, and however often: one of them takes it.
const slotClaim: Claim = {
  table: 'schedules_slots',
  columns: slotColumns,
  key: ['schedule_id', 'planned_at'],
  holder: 'slot_id',
};

/** Slots of a schedule that are kept. */
export const keptSlots = 500;

/** Schedules with their inputs, which are sealed, and the slots that were looked at. */
export default defineStore({
  name: 'schedules',
  seals: ['schedules'],
  migrations,
  claims: [slotClaim],
  write: (scope: WriterScope) => ({
    operations: { ...making(scope), ...slots(scope.connection), ...changing(scope.connection) },
  }),
  read: reading,
});

/** Reads of schedules. */
export type ScheduleReads = AwaitableReads<ReturnType<typeof reading>>;

function reading(connection: Connection) {
  const { find, list, pages } = queriesOf(connection);
  const select = columns.join(', ');
  const active = `SELECT ${select} FROM schedules_schedules WHERE state = 'active'`;
  const slot = connection.prepare('SELECT slot_id FROM schedules_slots WHERE schedule_id = ? AND planned_at = ?');
  const schedulePages = pages<ScheduleRow>({
    ...{ select, table: 'schedules_schedules', id: 'schedule_id', read: scheduleOf },
  });
  const slotPages = pages<SlotRow>({
    ...{ select: slotColumns.join(', '), table: 'schedules_slots', id: 'slot_id', read: slotOf },
  });
  return {
    find: find<ScheduleRow>(`SELECT ${select} FROM schedules_schedules WHERE schedule_id = ?`, scheduleOf),
    /** Finds the sealed inputs of a schedule. */
    inputs: find<Uint8Array>('SELECT inputs FROM schedules_schedules WHERE schedule_id = ?', inputsOf),
    /** Says whether a slot was looked at. */
    isTaken: (schedule_id: string, planned_at: number): boolean => slot.get(schedule_id, planned_at) !== undefined,
    /** Lists the schedules that are due at a time, the longest first. */
    due: list<ScheduleRow, [now: number, limit: number]>(
      `${active} AND due_at <= ? ORDER BY due_at LIMIT ?`,
      scheduleOf,
    ),
    /** Lists the schedules that were computed at a time that is yet to come. */
    ahead: list<ScheduleRow, [now: number, limit: number]>(
      `${active} AND computed_at > ? ORDER BY computed_at DESC LIMIT ?`,
      scheduleOf,
    ),
    /** Lists schedules that stopped by themselves, by id. */
    stopped: list<ScheduleRow, [after: string, limit: number]>(
      `SELECT ${select} FROM schedules_schedules WHERE reason IS NOT NULL AND schedule_id > ? ORDER BY schedule_id LIMIT ?`,
      scheduleOf,
    ),
    /** Lists the schedules of an Orbiset, newest first. */
    list: ({ of, ...rest }: ListQuery) =>
      schedulePages({ indexed: [{ where: 'orbiset_id = ?', values: of }], ...rest }),
    /** Lists the slots of a schedule, newest first. */
    slots: ({ of, ...rest }: ListQuery) => slotPages({ indexed: [{ where: 'schedule_id = ?', values: of }], ...rest }),
  };
}

// Only the operations of this module write its tables, from values of these types.
const scheduleOf = (row: Row): ScheduleRow => row as unknown as ScheduleRow;
const slotOf = (row: Row): SlotRow => row as unknown as SlotRow;
const inputsOf = (row: Row): Uint8Array => row['inputs'] as Uint8Array;

/** A schedule as it is made. */
export interface NewSchedule extends ScheduleRow {
  /** JSON text; sealed at rest. */
  readonly inputs: string;
  /** Most schedules of the tenant. */
  readonly most: number;
}

function making({ connection, sealer }: WriterScope) {
  const insert = rowWriter(connection, 'schedules_schedules', [...columns, 'inputs']);
  const count = connection.prepare(
    'SELECT count(*) AS n FROM (SELECT 1 AS one FROM schedules_schedules WHERE tenant = ? LIMIT ?) AS held',
  );
  const removeSlots = connection.prepare('DELETE FROM schedules_slots WHERE schedule_id = ?');
  const remove = connection.prepare('DELETE FROM schedules_schedules WHERE schedule_id = ?');
  return {
    /** Makes a schedule. Throws `schedule_limit`. */
    async create({ inputs, most, ...row }: NewSchedule, write: WriteContext): Promise<void> {
      write.guard('most');
      if (Number((await count.get(row.tenant, most))?.['n']) >= most)
        throw new PlatformError(problems.schedule_limit, `a tenant has at most ${most} schedules; delete one`);
      insert({ ...row, inputs: sealer.seal('schedules', Buffer.from(inputs)) });
    },
    /** Erases a schedule with its inputs and slots. */
    remove({ schedule_id }: Pick<ScheduleRow, 'schedule_id'>): void {
      removeSlots.queue(schedule_id);
      remove.queue(schedule_id);
    },
  };
}

function slots(connection: WriteConnection) {
  const find = connection.prepare(
    "SELECT floor_at FROM schedules_schedules WHERE schedule_id = ? AND state = 'active' AND next_at = ?",
  );
  const advance = connection.prepare(
    `UPDATE schedules_schedules SET next_at = ?, due_at = ?, computed_at = ?, state = ?, floor_at = ?,
       last_run_id = coalesce(?, schedules_schedules.last_run_id)
     WHERE schedule_id = ? AND state = 'active' AND next_at = ?`,
  );
  const oldest = connection.prepare(
    'SELECT planned_at FROM schedules_slots WHERE schedule_id = ? ORDER BY planned_at DESC LIMIT 1 OFFSET ?',
  );
  const forget = connection.prepare('DELETE FROM schedules_slots WHERE schedule_id = ? AND planned_at <= ?');
  // A deleted slot could be taken again, so no slot up to there is taken.
  const floorOf = async (schedule_id: string, floor: number): Promise<number> => {
    const planned = (await oldest.get(schedule_id, keptSlots))?.['planned_at'];
    if (planned === undefined) return floor;
    forget.queue(schedule_id, Number(planned));
    return Math.max(floor, Number(planned));
  };
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
  };
}

function changing(connection: WriteConnection) {
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
  };
}

type Later = Pick<ScheduleRow, 'schedule_id' | 'next_at' | 'due_at'> & Pick<Taking, 'now'>;
type Recomputing = Pick<ScheduleRow, 'schedule_id' | 'next_at' | 'computed_at'> & Pick<Taking, 'now'>;

function taken(): PlatformError {
  return new PlatformError(problems.slot_taken, 'the slot already has a run, or the schedule was changed since');
}
