import { steps } from './counts.ts';
import { SeriesSums, type Series } from './series.ts';
import type { Connection, Row } from '../../../kernel/index.ts';

/** What counts can be grouped by; `source`: of webhooks. */
export const groupings = ['orb_id', 'orbiset_id', 'provider', 'status', 'mode', 'source'] as const;

/** What a list of counts is asked for; times in seconds since 1970, multiples of `step`. */
export interface SeriesQuery {
  /** Undefined: of all tenants. */
  readonly tenant: string | undefined;
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly by: (typeof groupings)[number] | undefined;
}

/** Most rows that one question visits: about 0.2 s on the reader thread. */
export const mostRows = 100_000;

/** Prepares the reads of counts; undefined when a question visits too many. */
export function countReads(connection: Connection) {
  const prepared = new Map<string, ReturnType<Connection['prepare']>>();
  const rowsOf = (query: SeriesQuery, kept: number, most: number): readonly Row[] => {
    const { tenant, what, from, to } = query;
    const text = textOf(query, kept);
    const statement = prepared.get(text) ?? connection.prepare(text);
    prepared.set(text, statement);
    const bounds = tenant === undefined ? [from, to] : [from, to, tenant, what];
    // There are no more parts than some seconds leave.
    return statement.all(kept, ...bounds, ...(kept === steps.minute ? bounds : []), most);
  };
  return {
    listSeries(query: SeriesQuery): readonly Series[] | undefined {
      const sums = new SeriesSums();
      let left = mostRows;
      // Each run is in one count: of a minute, an hour or a day.
      for (const kept of Object.values(steps).filter((one) => one <= query.step)) {
        const rows = rowsOf(query, kept, left + 1);
        left -= rows.reduce((visited, row) => visited + Number(row['visited']), 0);
        if (left < 0) return undefined;
        for (const row of rows) if (row['what'] === query.what) sums.add(row, Number(row['starts']));
      }
      return sums.list();
    },
  };
}

const columnOf: Readonly<Record<string, string>> = { provider: 'name', source: 'name' };

// The database adds up, which costs it a tenth of what it costs to hand over the rows. One question: between two, parts
// may become counts. With all tenants the index is that of times, so other counts of that time are visited too.
function textOf({ tenant, by, step }: SeriesQuery, kept: number): string {
  const value = by === undefined ? `''` : (columnOf[by] ?? by);
  const selected = `what, at / ${step} * ${step} AS starts, ${value} AS value, status, le_ms, n, ms`;
  const where = `at >= ? AND at < ?${tenant === undefined ? '' : ' AND tenant = ? AND what = ?'}`;
  const parts = ` UNION ALL SELECT ${selected} FROM runtime_count_parts WHERE ${where}`;
  const counts = `SELECT ${selected} FROM runtime_counts WHERE step = ? AND ${where}`;
  return `SELECT what, starts, value, status, le_ms, CAST(sum(n) AS BIGINT) AS n, CAST(sum(ms) AS BIGINT) AS ms, count(*) AS visited
    FROM (${counts}${kept === steps.minute ? parts : ''} LIMIT ?) AS counted GROUP BY 1, 2, 3, 4, 5`;
}
