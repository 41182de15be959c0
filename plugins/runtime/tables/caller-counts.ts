import type { RunRow } from '../facts/facts.ts';
import { bucketText, steps } from './counts.ts';
import { bucketOf } from './histogram.ts';
import {
  firstIdAt,
  rowWriter,
  timestamp,
  type Awaitable,
  type WriteContext,
  type WriterScope,
} from '../../../kernel/index.ts';

// The parts of a time, RFC 3339 UTC, that name its hour and its day.
const hourLength = '2026-11-23T20'.length;
const dayLength = '2026-11-23'.length;

/** Names the hour of a time, in seconds since 1970. */
export const hourOf = (at: number): string => timestamp(at * 1000).slice(0, hourLength);

/** Names the day of a time, in seconds since 1970. */
export const dayOf = (at: number): string => timestamp(at * 1000).slice(0, dayLength);

const named = ['at', 'tenant', 'principal', 'key_id', 'status', 'le_ms'] as const;
const columns = [...named, 'n', 'ms'] as const;

/**
 * The counts of runs by their callers: of hours, later of days; `at` is the text of either. Runs are counted some hours
 * after they began, so that no run waits for it: those below `run_id` are. `runtime_caller_bound` has one row at most.
 */
export const callerTables = `
CREATE TABLE runtime_caller_counts (
  at TEXT NOT NULL, tenant TEXT NOT NULL, principal TEXT NOT NULL, key_id TEXT NOT NULL, status TEXT NOT NULL,
  le_ms INTEGER NOT NULL, n INTEGER NOT NULL, ms INTEGER NOT NULL,
  PRIMARY KEY (at, tenant, principal, key_id, status, le_ms)
) WITHOUT ROWID;
CREATE TABLE runtime_caller_bound (one INTEGER PRIMARY KEY CHECK (one = 1), run_id TEXT NOT NULL) WITHOUT ROWID;
`;

// Some milliseconds of reading.
const mostCounted = 5000;
// A run that commits later than this after it was accepted waited in the queue. No such run is being counted meanwhile.
const lateMs = 3_600_000;

/** Finds below which id runs may be counted: their callers have had the answer long ago, or wait in the queue. */
export const countedBefore = (now: number): string => firstIdAt('run', now - 2 * lateMs);

const adding = 'SET n = runtime_caller_counts.n + excluded.n, ms = runtime_caller_counts.ms + excluded.ms';
const conflict = `ON CONFLICT (${named.join(', ')}) DO UPDATE ${adding}`;
const hours = `length(at) = ${hourLength} AND at < ?`;

function statementsOf({ connection }: Pick<WriterScope, 'connection'>) {
  const into = `INSERT INTO runtime_caller_counts (${columns.join(', ')})`;
  const grouped = `GROUP BY 1, 2, 3, 4, 5, 6 ${conflict}`;
  return {
    bound: connection.prepare('SELECT run_id FROM runtime_caller_bound'),
    setBound: connection.prepare(
      'INSERT INTO runtime_caller_bound (one, run_id) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET run_id = excluded.run_id',
    ),
    following: connection.prepare(
      `SELECT run_id FROM runtime_runs WHERE run_id >= ? ORDER BY run_id LIMIT 1 OFFSET ${mostCounted}`,
    ),
    count: connection.prepare(
      `${into} SELECT substr(started_at, 1, ${hourLength}), tenant, principal, coalesce(key_id, ''), status, ${bucketText},
         count(*), CAST(sum(execution_ms) AS BIGINT) FROM runtime_runs WHERE run_id >= ? AND run_id < ? ${grouped}`,
    ),
    foldHours: connection.prepare(
      `${into} SELECT substr(at, 1, ${dayLength}), tenant, principal, key_id, status, le_ms, CAST(sum(n) AS BIGINT), CAST(sum(ms) AS BIGINT)
         FROM runtime_caller_counts WHERE ${hours} ${grouped}`,
    ),
    forgetHours: connection.prepare(`DELETE FROM runtime_caller_counts WHERE ${hours}`),
    forget: connection.prepare('DELETE FROM runtime_caller_counts WHERE at < ?'),
    add: rowWriter(connection, 'runtime_caller_counts', columns, conflict),
  };
}

/** Makes the writes of counts by callers. */
export function callerWrites({ connection, now }: Pick<WriterScope, 'connection' | 'now'>) {
  const statements = statementsOf({ connection });
  const boundNow = async (): Promise<string> => String((await statements.bound.get())?.['run_id'] ?? '');
  let late = { minute: 0, below: '' };
  const isLate = ({ run_id }: RunRow): boolean => {
    const minute = Math.floor(now() / 60_000);
    if (minute !== late.minute) late = { minute, below: firstIdAt('run', now() - lateMs) };
    return run_id < late.below;
  };
  const addLate = async (run: RunRow, write: WriteContext): Promise<void> => {
    write.guard('callers');
    if (run.run_id >= (await boundNow())) return;
    const { tenant, principal, key_id, status, execution_ms: ms, started_at } = run;
    const at = started_at.slice(0, hourLength);
    statements.add({ at, tenant, principal, key_id: key_id ?? '', status, le_ms: bucketOf(ms), n: 1, ms });
  };
  return {
    /** Counts a run that commits late, if those of its time were counted before. */
    insertedLate: (run: RunRow, write: WriteContext): Awaitable<void> | undefined =>
      isLate(run) ? addLate(run, write) : undefined,
    operations: {
      /** Counts the next runs below an id; false: all are counted. */
      async countCallers({ before }: { readonly before: string }, write: WriteContext): Promise<boolean> {
        write.guard('callers');
        const from = await boundNow();
        if (from >= before) return false;
        const next = String((await statements.following.get(from))?.['run_id'] ?? before);
        const end = next < before ? next : before;
        // Where there are none, nothing is written.
        if ((await statements.count.run(from, end)) > 0) await statements.setBound.run(end);
        return end < before;
      },
      /** Folds hours before a time into days, and deletes days before another; names of hours and days. */
      async foldCallers({ hour, day }: Record<'hour' | 'day', string>): Promise<void> {
        await statements.foldHours.run(hour);
        await statements.forgetHours.run(hour);
        await statements.forget.run(day);
      },
    },
  };
}

/** Returns the begin of the hour or day that is named by a text; in seconds since 1970. */
export function beginOf(at: string): number {
  return Date.parse(at.length === hourLength ? `${at}:00Z` : at) / 1000;
}

/** The shortest step for which there are counts by callers. */
export const leastStep = steps.hour;
