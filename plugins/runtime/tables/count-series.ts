import { startOf, steps } from './counts.ts';
import { quantile } from './histogram.ts';
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

/** The counts of one step of time; times without any have no point. */
export interface Point {
  /** Seconds since 1970. */
  readonly at: number;
  readonly total: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly mean_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** The points of what has one value of the grouping, oldest first; without `value`: of all others together. */
export interface Series {
  readonly value?: string;
  readonly points: readonly Point[];
}

/** Most rows that one question visits: about 0.2 s on the reader thread. */
export const mostRows = 100_000;
const mostSeries = 50;

interface Sum {
  total: number;
  ms: number;
  readonly statuses: Record<string, number>;
  readonly histogram: Map<number, number>;
}

type Sums = Map<number, Sum>;

/** Prepares the reads of counts; undefined when a question visits too many. */
export function countReads(connection: Connection) {
  const selected = 'at, orbiset_id, orb_id, name, status, mode, le_ms, n, ms';
  const between = 'step = ? AND at >= ? AND at < ?';
  const tenants = `SELECT ${selected} FROM runtime_counts WHERE tenant = ? AND ${between} AND what = ?`;
  const all = `SELECT what, ${selected} FROM runtime_counts WHERE ${between}`;
  const ofTenant = connection.prepare(`${tenants} LIMIT ?`);
  const ofAll = connection.prepare(`${all} LIMIT ?`);
  // One question: between two, parts may become counts. There are no more parts than some seconds leave.
  const parts = 'FROM runtime_count_parts WHERE at >= ? AND at < ?';
  const minutesOfTenant = connection.prepare(
    `${tenants} UNION ALL SELECT ${selected} ${parts} AND tenant = ? AND what = ? LIMIT ?`,
  );
  const minutesOfAll = connection.prepare(`${all} UNION ALL SELECT what, ${selected} ${parts} LIMIT ?`);
  const rowsOf = ({ tenant, what, from, to }: SeriesQuery, step: number, most: number): readonly Row[] => {
    const time = [from, to] as const;
    if (step !== steps.minute)
      return tenant === undefined ? ofAll.all(step, ...time, most) : ofTenant.all(tenant, step, ...time, what, most);
    if (tenant === undefined) return minutesOfAll.all(step, ...time, ...time, most);
    return minutesOfTenant.all(tenant, step, ...time, what, ...time, tenant, what, most);
  };
  return {
    listSeries(query: SeriesQuery): readonly Series[] | undefined {
      const found = new Map<string, Sums>();
      let left = mostRows;
      // Each run is in one count: of a minute, an hour or a day.
      for (const step of Object.values(steps).filter((one) => one <= query.step)) {
        const rows = rowsOf(query, step, left + 1);
        left -= rows.length;
        if (left < 0) return undefined;
        for (const row of rows) if (row['what'] === undefined || row['what'] === query.what) add(found, row, query);
      }
      return largest(found);
    },
  };
}

const columnOf: Readonly<Record<string, string>> = { provider: 'name', source: 'name' };

function add(found: Map<string, Sums>, row: Row, { by, step }: SeriesQuery): void {
  const value = by === undefined ? '' : String(row[columnOf[by] ?? by]);
  const sums = found.get(value) ?? new Map<number, Sum>();
  found.set(value, sums);
  const status = String(row['status']);
  const n = Number(row['n']);
  const histogram = new Map([[Number(row['le_ms']), n]]);
  const sum = { total: n, ms: Number(row['ms']), statuses: { [status]: n }, histogram };
  merge(sums, startOf(Number(row['at']), step), sum);
}

function merge(sums: Sums, at: number, more: Sum): void {
  const sum = sums.get(at) ?? { total: 0, ms: 0, statuses: {}, histogram: new Map<number, number>() };
  sums.set(at, sum);
  sum.total += more.total;
  sum.ms += more.ms;
  for (const [status, n] of Object.entries(more.statuses)) sum.statuses[status] = (sum.statuses[status] ?? 0) + n;
  for (const [end, n] of more.histogram) sum.histogram.set(end, (sum.histogram.get(end) ?? 0) + n);
}

// The largest first; those after the first fifty are one series.
function largest(found: ReadonlyMap<string, Sums>): readonly Series[] {
  const totalOf = (sums: Sums): number => [...sums.values()].reduce((total, one) => total + one.total, 0);
  const sorted = [...found].sort(([a, left], [b, right]) => totalOf(right) - totalOf(left) || (a < b ? -1 : 1));
  const others: Sums = new Map();
  for (const [, sums] of sorted.slice(mostSeries)) for (const [at, sum] of sums) merge(others, at, sum);
  const series: Series[] = sorted.slice(0, mostSeries).map(([value, sums]) => ({ value, points: pointsOf(sums) }));
  return others.size === 0 ? series : [...series, { points: pointsOf(others) }];
}

function pointsOf(sums: Sums): readonly Point[] {
  const points = [...sums].map(([at, { total, ms, statuses, histogram }]) => ({
    ...{ at, total, statuses, mean_ms: Math.round(ms / total) },
    ...{ p50_ms: quantile(histogram, 0.5) ?? 0, p95_ms: quantile(histogram, 0.95) ?? 0 },
  }));
  return points.sort((a, b) => a.at - b.at);
}
