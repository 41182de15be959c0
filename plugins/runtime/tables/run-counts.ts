import { steps } from './counts.ts';
import type { IdRange } from './run-pages.ts';
import type { Connection, Row } from '../../../kernel/index.ts';

/** What runs are counted by. */
export const facets = ['status', 'orb_id', 'orbiset_id', 'provider'] as const;
type Facet = (typeof facets)[number];

/** Which ended runs are counted; times in seconds since 1970. */
export interface RunCountQuery {
  /** Undefined: of all tenants. */
  readonly tenant: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly statuses?: readonly string[] | undefined;
  readonly orb_id?: string | undefined;
  readonly orbs?: IdRange | undefined;
  readonly orbiset_id?: string | undefined;
  readonly provider?: string | undefined;
}

/** How many runs have a value. */
export interface ValueCount {
  readonly value: string;
  readonly runs: number;
}

/** Numbers of runs by value; runs that ended before `from` are not counted. */
export interface RunCounts {
  readonly from: number;
  readonly values: Readonly<Record<Facet, readonly ValueCount[]>>;
}

// Most rows that one question visits: some 50 ms on the reader thread. A row is the runs of a minute, hour or day that
// have the same values and nearly the same duration.
const mostVisited = 40_000;
const mostValues = 50;

const named = 'what, orbiset_id, orb_id, name, status';

/** Prepares the counts of runs by value, read from the newest on. */
export function runCountReads(connection: Connection) {
  const sums = `SELECT ${named}, CAST(sum(n) AS BIGINT) AS n, count(*) AS visited, min(at) AS oldest FROM`;
  const newest = (whose: string): string =>
    `SELECT at, ${named}, n FROM runtime_counts WHERE ${whose}step = ? AND at >= ? AND at < ? ORDER BY at DESC LIMIT ?`;
  const grouped = (rows: string) => connection.prepare(`${sums} (${rows}) AS counted GROUP BY ${named}`);
  // One question: between two, parts may become counts.
  const withParts = (whose: string): string =>
    `SELECT at, ${named}, n FROM (${newest(whose)}) AS kept
     UNION ALL SELECT at, ${named}, n FROM runtime_count_parts WHERE ${whose}at >= ? AND at < ?`;
  const ofOne = 'tenant = ? AND ';
  const [all, own] = [grouped(newest('')), grouped(newest(ofOne))];
  const [allMinutes, ownMinutes] = [grouped(withParts('')), grouped(withParts(ofOne))];
  const rowsOf = ({ tenant, from, to }: RunCountQuery, step: number, most: number): readonly Row[] => {
    const whose = tenant === undefined ? [] : [tenant];
    const asked = [...whose, step, from, to, most] as const;
    if (step !== steps.minute) return (tenant === undefined ? all : own).all(...asked);
    return (tenant === undefined ? allMinutes : ownMinutes).all(...asked, ...whose, from, to);
  };
  return {
    /** Counts ended runs by value: of each facet under the filters of the others. */
    countRuns(query: RunCountQuery): RunCounts {
      const found = new Map(facets.map((facet) => [facet, new Map<string, number>()]));
      let left = mostVisited;
      let { from } = query;
      // Each run is in one count, of a minute, an hour or a day; days are the oldest.
      for (const step of Object.values(steps)) {
        const rows = rowsOf(query, step, left);
        for (const row of rows) if (row['what'] === 'runs') add(found, row, query);
        left -= rows.reduce((sum, { visited }) => sum + Number(visited), 0);
        if (left > 0) continue;
        // The oldest step may be counted in part.
        from = Math.min(...rows.map(({ oldest }) => Number(oldest))) + step;
        break;
      }
      const values = [...found].map(([facet, counts]) => [facet, largest(counts)] as const);
      // It has one member for each facet.
      return { from, values: Object.fromEntries(values) as RunCounts['values'] };
    },
  };
}

const columns = { status: 'status', orb_id: 'orb_id', orbiset_id: 'orbiset_id', provider: 'name' } as const;

function add(found: ReadonlyMap<Facet, Map<string, number>>, row: Row, query: RunCountQuery): void {
  const valueOf = (facet: Facet): string => String(row[columns[facet]]);
  const unfit = facets.filter((facet) => !isWanted(query, facet, valueOf(facet)));
  // A value of a facet that the filter leaves out is shown, since it can be chosen instead.
  for (const facet of unfit.length === 0 ? facets : unfit.length === 1 ? unfit : []) {
    const counts = found.get(facet);
    const value = valueOf(facet);
    if (value !== '') counts?.set(value, (counts.get(value) ?? 0) + Number(row['n']));
  }
}

function isWanted({ statuses, orbs, ...query }: RunCountQuery, facet: Facet, value: string): boolean {
  if (facet === 'status') return statuses?.includes(value) !== false;
  if (facet === 'orb_id' && orbs !== undefined) return value > orbs.above && value < orbs.below;
  return query[facet] === undefined || query[facet] === value;
}

function largest(counts: ReadonlyMap<string, number>): readonly ValueCount[] {
  const all = [...counts].map(([value, runs]) => ({ value, runs }));
  return all.sort((a, b) => b.runs - a.runs || (a.value < b.value ? -1 : 1)).slice(0, mostValues);
}
