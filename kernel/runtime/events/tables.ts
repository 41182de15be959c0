import { rowWriter } from '../../store/sql/column.ts';
import type { Awaitable, Connection, WriteConnection } from '../../store/contract.ts';
import { asIs, queriesOf } from '../../store/sql/query.ts';

/** An event that no receipt tells: names and ids alone. */
export interface Recorded {
  /** `evt_<ulid>` */
  readonly event_id: string;
  /** `key.created` */
  readonly type: string;
  /** Scope that a key needs to see it. */
  readonly scope: string;
  /** Empty: it belongs to the installation. */
  readonly tenant: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly data: Readonly<Record<string, string | number>>;
}

/** A recorded event with its place; `data` is JSON. */
export type RecordedRow = Omit<Recorded, 'data'> & { readonly sequence: number; readonly data: string };

/** The table of what no receipt tells, and its counter; then what was told of a run. */
export const eventMigrations = [
  `
CREATE TABLE runtime_events (
  sequence INTEGER PRIMARY KEY, event_id TEXT NOT NULL, type TEXT NOT NULL, scope TEXT NOT NULL, tenant TEXT NOT NULL,
  at TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX runtime_events_by_time ON runtime_events (at);
CREATE TABLE runtime_event_counter (one INTEGER PRIMARY KEY, n INTEGER NOT NULL);
INSERT INTO runtime_event_counter (one, n) VALUES (1, 0);
`,
  `
ALTER TABLE runtime_events ADD COLUMN run_id TEXT;
CREATE INDEX runtime_events_by_run ON runtime_events (run_id, sequence) WHERE run_id IS NOT NULL;
`,
];

const columns = ['sequence', 'event_id', 'type', 'scope', 'tenant', 'at', 'data'] as const;

/** Tells events from other items of a batch. */
export function isRecorded(item: object): item is Recorded {
  return 'event_id' in item;
}

/** Makes the writes of events. */
export function eventWrites(connection: WriteConnection) {
  // Taken in the transaction of the events: who reads a number can read all below it.
  const count = connection.prepare('UPDATE runtime_event_counter SET n = n + ? WHERE one = 1 RETURNING n');
  const insert = rowWriter(connection, 'runtime_events', [...columns, 'run_id']);
  const forget = connection.prepare(
    'DELETE FROM runtime_events WHERE sequence IN (SELECT sequence FROM runtime_events WHERE at < ? ORDER BY at LIMIT ?)',
  );
  return {
    /** Records events, in the commit of what they tell. */
    async record(events: readonly Recorded[]): Promise<void> {
      const last = Number((await count.get(events.length))?.['n']);
      for (const [index, event] of events.entries()) {
        const { run_id = null } = event.data;
        insert({ ...event, run_id, sequence: last - events.length + 1 + index });
      }
    },
    /** Deletes events of before a time, at most so many; answers how many. */
    forgetEvents: ({ before, most }: { readonly before: string; readonly most: number }): Awaitable<number> =>
      forget.run(before, most),
  };
}

/** Prepares the reads of events. */
export function eventReads(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const last = find<{ readonly n: number }, []>('SELECT n FROM runtime_event_counter WHERE one = 1', asIs);
  return {
    /** The number of the last event; 0 before the first. */
    lastEvent: (): number => last()?.n ?? 0,
    /** Events after a number and up to another, in order. */
    eventsAfter: list<RecordedRow, [after: number, to: number, limit: number]>(
      `SELECT ${columns.join(', ')} FROM runtime_events WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?`,
      asIs,
    ),
    /** Events of a run, as `eventsAfter`. */
    eventsOfRun: list<RecordedRow, [runId: string, after: number, to: number, limit: number]>(
      `SELECT ${columns.join(', ')} FROM runtime_events WHERE run_id = ? AND sequence > ? AND sequence <= ?
       ORDER BY sequence LIMIT ?`,
      asIs,
    ),
  };
}
