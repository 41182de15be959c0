import { quantile } from './histogram.ts';
import type { Row } from '../../../kernel/index.ts';

/** How many there were, how they ended, and how long they took. */
export interface Figures {
  readonly total: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly mean_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** The figures of one step of time; times without any have no point. */
export interface Point extends Figures {
  /** Seconds since 1970. */
  readonly at: number;
}

/** What has one value of a grouping, its points oldest first; without `value`: all others together. */
export interface Series {
  readonly value?: string;
  /** Of the whole time. */
  readonly overall: Figures;
  readonly points: readonly Point[];
}

const mostSeries = 50;

/** Adds up the counts of one value. */
class Sum {
  #total = 0;
  #ms = 0;
  readonly #statuses: Record<string, number> = {};
  readonly #histogram = new Map<number, number>();

  get total(): number {
    return this.#total;
  }

  get figures(): Figures {
    return {
      ...{ total: this.#total, statuses: this.#statuses, mean_ms: Math.round(this.#ms / this.#total) },
      ...{ p50_ms: quantile(this.#histogram, 0.5) ?? 0, p95_ms: quantile(this.#histogram, 0.95) ?? 0 },
    };
  }

  add(status: string, end: number, n: number, ms: number): void {
    this.#total += n;
    this.#ms += ms;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + n;
    this.#histogram.set(end, (this.#histogram.get(end) ?? 0) + n);
  }

  merge(more: Sum): void {
    this.#total += more.#total;
    this.#ms += more.#ms;
    for (const [status, n] of Object.entries(more.#statuses))
      this.#statuses[status] = (this.#statuses[status] ?? 0) + n;
    for (const [end, n] of more.#histogram) this.#histogram.set(end, (this.#histogram.get(end) ?? 0) + n);
  }
}

/** Makes series out of rows that a database has added up: `value`, `status`, `le_ms`, `n`, `ms`, in the step of a time. */
export class SeriesSums {
  readonly #found = new Map<string, Map<number, Sum>>();

  /** Adds a row to the step that begins at a time, in seconds. */
  add(row: Row, begin: number): void {
    const value = String(row['value']);
    const sums = this.#found.get(value) ?? new Map<number, Sum>();
    this.#found.set(value, sums);
    sumOf(sums, begin).add(String(row['status']), Number(row['le_ms']), Number(row['n']), Number(row['ms']));
  }

  /** Lists the largest first; those after the first fifty are one series. */
  list(): readonly Series[] {
    const all = [...this.#found].map(([value, sums]) => ({ value, sums, overall: overallOf(sums) }));
    all.sort((a, b) => b.overall.total - a.overall.total || (a.value < b.value ? -1 : 1));
    const others = new Map<number, Sum>();
    for (const { sums } of all.slice(mostSeries)) for (const [begin, sum] of sums) sumOf(others, begin).merge(sum);
    const series: Series[] = all
      .slice(0, mostSeries)
      .map(({ value, sums, overall }) => ({ value, overall: overall.figures, points: pointsOf(sums) }));
    if (others.size === 0) return series;
    return [...series, { overall: overallOf(others).figures, points: pointsOf(others) }];
  }
}

function sumOf(sums: Map<number, Sum>, begin: number): Sum {
  const sum = sums.get(begin) ?? new Sum();
  sums.set(begin, sum);
  return sum;
}

function overallOf(sums: ReadonlyMap<number, Sum>): Sum {
  const overall = new Sum();
  for (const sum of sums.values()) overall.merge(sum);
  return overall;
}

function pointsOf(sums: ReadonlyMap<number, Sum>): readonly Point[] {
  return [...sums].map(([at, sum]) => ({ at, ...sum.figures })).sort((a, b) => a.at - b.at);
}
