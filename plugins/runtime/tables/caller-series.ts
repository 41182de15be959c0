import { beginOf, dayOf, hourOf, leastStep } from './caller-counts.ts';
import { bucketText, startOf } from './counts.ts';
import { mostRows, type SeriesQuery } from './count-series.ts';
import { SeriesSums, type Series } from './series.ts';
import { timesBetween, timestamp, type Connection, type Row, type Value } from '../../../kernel/index.ts';

/** Who runs can be grouped by. */
export const callerGroupings = ['principal', 'key_id'] as const;

/** What the runs of callers are asked for. */
export interface CallersQuery extends Pick<SeriesQuery, 'tenant' | 'from' | 'to' | 'step'> {
  readonly by: (typeof callerGroupings)[number];
}

/** Most runs that one question visits: about 0.2 s on the reader thread. */
export const mostRuns = 100_000;

/**
 * Prepares the counts of runs by their callers; undefined when a question visits too many. Runs that were not counted
 * yet are read themselves, and all of them for steps shorter than an hour: with a row for each caller in each minute,
 * there could be as many counts as runs.
 */
export function callerReads(connection: Connection) {
  const prepared = new Map<string, ReturnType<Connection['prepare']>>();
  const rowsOf = (text: string, values: readonly Value[]): readonly Row[] => {
    const statement = prepared.get(text) ?? connection.prepare(text);
    prepared.set(text, statement);
    return statement.all(...values);
  };
  const bound = connection.prepare('SELECT run_id FROM runtime_caller_bound');
  return {
    listCallers({ tenant, from, to, step, by }: CallersQuery): readonly Series[] | undefined {
      const sums = new SeriesSums();
      const whose = tenant === undefined ? [] : [tenant];
      const counted = step >= leastStep ? String(bound.get()?.['run_id'] ?? '') : '';
      if (counted !== '') {
        const rows = rowsOf(countsText(by, tenant), [dayOf(from), hourOf(to), ...whose, mostRows + 1]);
        if (visitedBy(rows) > mostRows) return undefined;
        for (const row of rows) {
          const begin = beginOf(String(row['at']));
          // A day may begin before the hours that are asked for.
          if (begin >= from && begin < to) sums.add(row, startOf(begin, step));
        }
      }
      const [begin, end] = [timestamp(from * 1000), timestamp(to * 1000)];
      const ids = timesBetween('run', 'started_at', { from: begin, to: end });
      const first = counted > (ids.from ?? '') ? counted : (ids.from ?? '');
      const rows = rowsOf(runsText(by, tenant), [first, ids.to ?? '', begin, end, ...whose, mostRuns + 1]);
      if (visitedBy(rows) > mostRuns) return undefined;
      for (const row of rows) sums.add(row, startOf(Date.parse(`${String(row['minute'])}Z`) / 1000, step));
      return sums.list();
    },
  };
}

const visitedBy = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + Number(row['visited']), 0);

const minuteLength = '2026-11-23T20:46'.length;

// Rows are sorted into their groups by what tells most of them apart first.
function runsText(by: CallersQuery['by'], tenant: string | undefined): string {
  const selected = `coalesce(${by}, '') AS value, substr(started_at, 1, ${minuteLength}) AS minute, status`;
  const times = 'run_id >= ? AND run_id < ? AND started_at >= ? AND started_at < ?';
  const where = tenant === undefined ? times : `${times} AND tenant = ?`;
  return `SELECT value, minute, status, le_ms, count(*) AS n, CAST(sum(ms) AS BIGINT) AS ms, count(*) AS visited
    FROM (SELECT ${selected}, ${bucketText} AS le_ms, execution_ms AS ms FROM runtime_runs WHERE ${where} LIMIT ?) AS runs
    GROUP BY 4, 2, 1, 3`;
}

function countsText(by: CallersQuery['by'], tenant: string | undefined): string {
  const where = `at >= ? AND at < ?${tenant === undefined ? '' : ' AND tenant = ?'}`;
  return `SELECT at, value, status, le_ms, CAST(sum(n) AS BIGINT) AS n, CAST(sum(ms) AS BIGINT) AS ms, count(*) AS visited
    FROM (SELECT at, ${by} AS value, status, le_ms, n, ms FROM runtime_caller_counts WHERE ${where} LIMIT ?) AS counted
    GROUP BY 1, 2, 3, 4`;
}
