import type { RunRow } from '../facts/facts.ts';
import { bucketOf } from './histogram.ts';
import { atOnce, rowWriter, type Awaitable, type Row, type WriterScope } from '../../../kernel/index.ts';

/** How long the time of one count is, in seconds. */
export const steps = { minute: 60, hour: 3600, day: 86_400 } as const;

/** One that is counted, in the minute of `at`, RFC 3339 UTC: of a run, its start, by which lists select runs too. */
export interface Sample {
  readonly at: string;
  /** Absent: it has no duration. */
  readonly ms?: number | undefined;
  /** `runs`, or what a plugin counts. */
  readonly what: string;
  /** Empty: it belongs to the installation. */
  readonly tenant: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  /** The provider of a run, or whatever else has a part in it; empty: none. */
  readonly name: string;
  readonly status: string;
  readonly mode: string;
}

// The upper ends of the buckets above 8 ms, as `bucketOf` finds them.
const widths = Array.from({ length: 28 }, (_, index) => [2 ** (index + 4), 2 ** (index + 1)] as const);
const bucketCases = widths
  .map(([to, width]) => `WHEN execution_ms <= ${to} THEN (execution_ms + ${width - 1}) / ${width} * ${width}`)
  .join(' ');

/** SQL: the upper end of the bucket of a run's duration, as `bucketOf` finds it. */
export const bucketText = `CASE WHEN execution_ms <= 8 THEN execution_ms ${bucketCases} ELSE execution_ms END`;

// The columns by which counts of one time are grouped, a part and a count are unique, and all of a count: how many there
// were, and their milliseconds together.
const named = ['what', 'orbiset_id', 'orb_id', 'name', 'status', 'mode'] as const;
const grouped = ['tenant', ...named, 'le_ms'] as const;
const partColumns = ['tenant', 'at', ...named, 'le_ms'] as const;
const key = ['tenant', 'step', 'at', ...named, 'le_ms'] as const;
const columns = [...key, 'n', 'ms'] as const;

/** The table of counts; runs of before it are counted by the hour. `at`: seconds since 1970. */
export const countMigration = `
CREATE TABLE runtime_counts (
  tenant TEXT NOT NULL, step INTEGER NOT NULL, at INTEGER NOT NULL, what TEXT NOT NULL, orbiset_id TEXT NOT NULL,
  orb_id TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL, mode TEXT NOT NULL, le_ms INTEGER NOT NULL,
  n INTEGER NOT NULL, ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, step, at, what, orbiset_id, orb_id, name, status, mode, le_ms)
) WITHOUT ROWID;
CREATE INDEX runtime_counts_by_time ON runtime_counts (step, at);
INSERT INTO runtime_counts (tenant, step, at, what, orbiset_id, orb_id, name, status, mode, le_ms, n, ms)
  SELECT tenant, 3600, unixepoch(substr(finished_at, 1, 13) || ':00:00Z'), 'runs', orbiset_id, orb_id,
    coalesce(provider, ''), status, mode,
    ${bucketText}, count(*), sum(execution_ms)
  FROM runtime_runs GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;
`;

/** Makes the sample of an ended run. */
export function sampleOf(run: RunRow): Sample {
  const { tenant, orbiset_id, orb_id, provider, status, mode, started_at, execution_ms } = run;
  const sample = { what: 'runs', at: started_at, tenant, orbiset_id, orb_id, name: provider ?? '', status, mode };
  return { ...sample, ms: execution_ms };
}

/** Makes the writes of counts. */
export function countWrites(scope: WriterScope) {
  const { connection, shared } = scope;
  const adding = 'SET n = runtime_counts.n + excluded.n, ms = runtime_counts.ms + excluded.ms';
  const add = rowWriter(connection, 'runtime_counts', columns, `ON CONFLICT (${key.join(', ')}) DO UPDATE ${adding}`);
  const oldest = connection.prepare('SELECT at FROM runtime_counts WHERE step = ? AND at < ? ORDER BY at LIMIT 1');
  // Only deleted rows are folded, so two nodes never fold the same counts.
  const take = connection.prepare(
    `DELETE FROM runtime_counts WHERE step = ? AND at >= ? AND at < ? RETURNING ${grouped.join(', ')}, n, ms`,
  );
  const forget = connection.prepare('DELETE FROM runtime_counts WHERE step = ? AND at < ?');
  const parts = partWrites(scope);
  // On SQLite, no process waits for the row, and a change leaves no old version.
  const put = shared || atOnce(connection) === undefined ? parts.put : add;
  return {
    /** Counts samples: those that are counted together take one row, however many they are. */
    count(samples: readonly Sample[]): void {
      for (const row of rowsOf(samples)) put(row);
    },
    /** Adds parts that were made in a time to the counts of their minutes. `own`: those of this process alone. */
    async gatherCounts(time: { readonly from: number; readonly to: number; readonly own: boolean }): Promise<void> {
      for (const row of await parts.take(time)) add({ ...row, step: steps.minute });
    },
    /**
     * Folds the oldest counts of a step that are before a time into one count of the next step; false when there are
     * none. `before`: a multiple of the next step, as a count of it must not be folded in two parts.
     */
    async foldCounts({ from, into, before }: Record<'from' | 'into' | 'before', number>): Promise<boolean> {
      const at = (await oldest.get(from, before))?.['at'];
      if (at === undefined) return false;
      const begin = startOf(Number(at), into);
      const rows = await take.all(from, begin, begin + into);
      for (const row of sumsOf(rows, grouped)) add({ ...row, step: into, at: begin });
      return true;
    },
    /** Deletes the counts of a step that are before a time; answers how many. */
    forgetCounts: ({ step, before }: { readonly step: number; readonly before: number }): Awaitable<number> =>
      forget.run(step, before),
  };
}

/** Returns the begin of the step that a time is in; both in seconds. */
export function startOf(at: number, step: number): number {
  return Math.floor(at / step) * step;
}

type Adding = { n: number; ms: number } & CountRow;

function rowsOf(samples: readonly Sample[]): Iterable<CountRow> {
  const rows = new Map<string, Adding>();
  // The last sample of each bucket: under load most are of one Orb, and to compare is cheaper than to make the text of a key.
  const last = new Map<number, { readonly sample: Sample; readonly row: Adding }>();
  for (const sample of samples) {
    const { ms = 0 } = sample;
    const le_ms = bucketOf(ms);
    const before = last.get(le_ms);
    const row = before !== undefined && isAlike(before.sample, sample) ? before.row : find(rows, sample, le_ms);
    if (row !== before?.row) last.set(le_ms, { sample, row });
    row.n++;
    row.ms += ms;
  }
  return rows.values();
}

function isAlike(one: Sample, other: Sample): boolean {
  return (
    minuteOf(one) === minuteOf(other) &&
    one.tenant === other.tenant &&
    one.what === other.what &&
    one.orbiset_id === other.orbiset_id &&
    one.orb_id === other.orb_id &&
    one.name === other.name &&
    one.status === other.status &&
    one.mode === other.mode
  );
}

function find(rows: Map<string, Adding>, sample: Sample, le_ms: number): Adding {
  const id = [minuteOf(sample), sample.tenant, ...named.map((name) => sample[name]), le_ms].join('\n');
  const found = rows.get(id);
  if (found !== undefined) return found;
  const { tenant, what, orbiset_id, orb_id, name, status, mode } = sample;
  const row = { tenant, what, orbiset_id, orb_id, name, status, mode, le_ms, n: 0, ms: 0 };
  const added = { ...row, step: steps.minute, at: secondsOf(minuteOf(sample)) };
  rows.set(id, added);
  return added;
}

const minuteOf = ({ at }: Sample): string => at.slice(0, minuteLength);
const minuteLength = '2026-11-23T20:46'.length;
let newest = { minute: '', seconds: NaN };

function secondsOf(minute: string): number {
  if (newest.minute !== minute) newest = { minute, seconds: Date.parse(`${minute}Z`) / 1000 };
  return newest.seconds;
}

/**
 * The table of parts: what one batch counted, where the store is in a database. Each process adds rows of its own, and
 * some seconds later adds them to the counts: so none waits for the row of another, and no row is changed with each batch.
 */
export const partMigration = `
CREATE TABLE runtime_count_parts (
  made INTEGER NOT NULL, incarnation TEXT NOT NULL, number INTEGER NOT NULL, tenant TEXT NOT NULL, at INTEGER NOT NULL,
  what TEXT NOT NULL, orbiset_id TEXT NOT NULL, orb_id TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL,
  mode TEXT NOT NULL, le_ms INTEGER NOT NULL, n INTEGER NOT NULL, ms INTEGER NOT NULL,
  PRIMARY KEY (made, incarnation, number)
) WITHOUT ROWID;
`;

/** The count of a minute that a part belongs to. */
type PartRow = Omit<CountRow, 'step'>;

/** Makes the writes of parts. */
export function partWrites({ connection, node: { incarnation }, now }: WriterScope) {
  const insert = rowWriter(connection, 'runtime_count_parts', [
    ...(['made', 'incarnation', 'number'] as const),
    ...partColumns,
    ...(['n', 'ms'] as const),
  ]);
  const taking = (condition: string) =>
    connection.prepare(
      `DELETE FROM runtime_count_parts WHERE made >= ? AND made <= ?${condition} RETURNING ${partColumns.join(', ')}, n, ms`,
    );
  const takeOwn = taking(' AND incarnation = ?');
  const takeAll = taking('');
  let number = 0;
  return {
    put(row: PartRow): void {
      insert({ ...row, made: now(), incarnation, number: ++number });
    },
    /** Takes parts away, and returns their sums: a row for each count, in the order of their key. */
    async take({ from, own, to }: { from: number; to: number; own: boolean }): Promise<readonly PartRow[]> {
      // Only deleted rows are taken, so two processes never take the same parts.
      const rows = own ? await takeOwn.all(from, to, incarnation) : await takeAll.all(from, to);
      return sumsOf(rows, partColumns);
    },
  };
}

// Adds up the counts that agree in some columns. In one order everywhere, so that two processes that add to the same
// counts do not wait for each other in a circle.
function sumsOf(rows: readonly Row[], by: readonly string[]): readonly PartRow[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const id = by.map((name) => String(row[name])).join('\n');
    const { n = 0, ms = 0 } = sums.get(id) ?? {};
    sums.set(id, { ...row, n: Number(n) + Number(row['n']), ms: Number(ms) + Number(row['ms']) });
  }
  // Its columns are texts and numbers.
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row as PartRow);
}

/** One row of counts. */
type CountRow = Readonly<Record<(typeof columns)[number], string | number>>;
