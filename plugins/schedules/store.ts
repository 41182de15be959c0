import {
  defineStore,
  PlatformError,
  queriesOf,
  rowWriter,
  type AwaitableReads,
  type Connection,
  type Row,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import { problems } from './problems.ts';
import { changeWrites } from './tables/changes.ts';
import { columns, slotClaim, slotColumns, type ScheduleRow, type SlotRow } from './tables/rows.ts';
import { slotWrites } from './tables/slots.ts';

export { keptSlots, type ScheduleRow, type SlotRow, type Taking } from './tables/rows.ts';

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

/** Schedules with their inputs, which are sealed, and the slots that were looked at. */
export default defineStore({
  name: 'schedules',
  seals: ['schedules'],
  migrations,
  claims: [slotClaim],
  write: (scope: WriterScope) => ({
    operations: { ...making(scope), ...slotWrites(scope.connection), ...changeWrites(scope) },
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
