import { html } from '../../frame/html.ts';
import type { Point, Series, Stats } from '../../frame/wire.ts';
import type { ChartSeries } from '../../parts/chart/chart.ts';
import type { Span } from '../../parts/chart/scale.ts';
import { Unfold } from '../../parts/chart/unfold.ts';
import { Id, Table, type Column } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';
import { DurationFigure, ErrorFigure, RunsFigure } from './figures.ts';
import {
  countOf,
  erring,
  errorRate,
  errorsOf,
  figure,
  nameOf,
  percent,
  plotOf,
  pointsOf,
  runsIn,
  runsOf,
} from './series.ts';

/** Statistics in groups. */
export interface GroupedProps {
  readonly stats: Stats;
  /** What they are grouped by: a filter of the list of runs too. */
  readonly by: string;
}

// So many have a colour of their own; the table has all.
const looks = ['look-0', 'look-1', 'look-2', 'look-3', 'look-4', 'look-5'] as const;

const idOf = ({ value }: Series): string => (value === undefined ? 'others' : `=${value}`);

// Runs without a value, and the sum of all other groups, have no filter.
function filterOf(by: string, id: string | undefined): Readonly<Record<string, string>> | undefined {
  if (id === undefined) return {};
  return id.startsWith('=') && id !== '=' ? { [by]: id.slice(1) } : undefined;
}

/** Draws the largest groups, and shows the sums of all. */
export function Grouped({ stats, by }: GroupedProps) {
  const { axis } = plotOf(stats);
  const largest = stats.series.slice(0, looks.length);
  const drawn = (of: (point: Point | undefined) => number | undefined): readonly ChartSeries[] =>
    largest.map((series, index) => ({
      ...{ id: idOf(series), name: nameOf(series, by), look: looks[index] ?? '' },
      values: pointsOf(series, axis).map(of),
    }));
  const listOf = (span: Span, id?: string): string | undefined => {
    const filter = filterOf(by, id);
    return filter && runsIn(span, filter);
  };
  const shared = { stats, listOf };
  return html`<${Table} caption="All series" columns=${columnsFor(stats, by)} rows=${stats.series} rowKey=${idOf} />
    <section class="panel stack">
      <${RunsFigure}
        ...${shared}
        caption="Runs"
        series=${[...drawn((point) => point?.total ?? 0), ...othersOf(stats)]}
      />
      <div class="columns">
        ${by !== 'status' && html`<${ErrorFigure} ...${shared} caption="Error rate" series=${drawn(errorRate)} />`}
        <${DurationFigure} ...${shared} caption="p95 of the duration" series=${drawn((point) => point?.p95_ms)} />
      </div>
      <${Unfold} title="Show as a table" show=${() => html`<${Steps} stats=${stats} by=${by} series=${largest} />`} />
    </section>`;
}

// What has no colour of its own is one bar.
function othersOf(stats: Stats): readonly ChartSeries[] {
  const { axis } = plotOf(stats);
  const rest = stats.series.slice(looks.length).map((series) => pointsOf(series, axis));
  if (rest.length === 0) return [];
  const values = pointsOf({ points: [] }, axis).map((_, index) =>
    rest.reduce((sum, points) => sum + (points[index]?.total ?? 0), 0),
  );
  return [{ id: 'others', name: 'others', look: 'look-rest', values }];
}

function columnsFor(stats: Stats, by: string): readonly Column<Series>[] {
  const counted = (title: string, of: (series: Series) => number, more: Readonly<Record<string, string>> = {}) => ({
    title,
    figures: true,
    cell: (series: Series) => {
      const [count, filter] = [of(series), filterOf(by, idOf(series))];
      if (filter === undefined || count === 0) return figure(count);
      return html`<a href=${runsOf(stats, { ...more, ...filter })}>${figure(count)}</a>`;
    },
  });
  return [
    {
      title: 'Name',
      cell: (series) =>
        html`<span class="name-cell"
          >${nameOf(series, by)} ${series.name !== undefined && html`<${Id} id=${series.value} />`}</span
        >`,
    },
    counted('Runs', ({ overall }) => overall.total),
    counted('Errors', ({ overall }) => errorsOf(overall), erring),
    { title: 'Error rate', figures: true, cell: ({ overall }) => percent(errorRate(overall)) },
    counted('Denied', ({ overall }) => countOf(overall, 'denied'), { status: 'denied' }),
    { title: 'p50', figures: true, cell: ({ overall }) => durationOf(overall.p50_ms) },
    { title: 'p95', figures: true, cell: ({ overall }) => durationOf(overall.p95_ms) },
  ];
}

// One row for each step, one column for each group.
function Steps({ stats, by, series }: GroupedProps & { readonly series: readonly Series[] }) {
  const { axis } = plotOf(stats);
  const groups = series.map((one) => ({ title: nameOf(one, by), points: pointsOf(one, axis) }));
  const rows = pointsOf({ points: [] }, axis)
    .map((_, index) => index)
    .reverse();
  const timeOf = (index: number): string => new Date(axis.from + index * axis.step).toISOString();
  const columns: readonly Column<number>[] = [
    { title: 'From', cell: (index) => html`<${Time} at=${timeOf(index)} />` },
    ...groups.map(({ title, points }) => ({
      ...{ title, figures: true },
      cell: (index: number) => figure(points[index]?.total ?? 0),
    })),
  ];
  return html`<${Table} caption="Runs of each step" columns=${columns} rows=${rows} rowKey=${String} />`;
}
