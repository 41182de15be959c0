import { html } from '../../frame/html.ts';
import type { Point, Series, Stats } from '../../frame/wire.ts';
import { Chart, type ChartSeries } from '../../parts/chart/chart.ts';
import type { Span } from '../../parts/chart/scale.ts';
import { Unfold } from '../../parts/chart/unfold.ts';
import { Table, type Column } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';
import {
  countOf,
  durationSeries,
  errorRate,
  errorsOf,
  figure,
  outcomeSeries,
  percent,
  plotOf,
  pointsOf,
  runsIn,
} from './series.ts';

/** Statistics, and a series of them; undefined: there was no run. */
export interface FiguresProps {
  readonly stats: Stats;
  readonly series: Series | undefined;
}

/** A chart with its caption. */
export interface FigureProps {
  readonly stats: Stats;
  readonly caption: string;
  readonly series: readonly ChartSeries[];
  readonly listOf?: (span: Span, series?: string) => string | undefined;
}

/** Draws numbers of runs as bars. */
export function RunsFigure({ stats, caption, series, listOf = (span) => runsIn(span) }: FigureProps) {
  const plot = plotOf(stats);
  return html`<figure class="figure">
    <figcaption>${caption}</figcaption>
    <${Chart}
      ...${plot}
      least=${plot.scale === 1 ? 1 : 0}
      label=${caption}
      kind="bars"
      series=${series}
      written=${figure}
      told=${figure}
      summed
      listOf=${listOf}
    />
  </figure>`;
}

/** Draws durations as lines. */
export function DurationFigure({ stats, caption, series, listOf = (span) => runsIn(span) }: FigureProps) {
  const { axis, days } = plotOf(stats);
  return html`<figure class="figure">
    <figcaption>${caption}</figcaption>
    <${Chart}
      axis=${axis}
      days=${days}
      unit="duration"
      label=${caption}
      kind="lines"
      series=${series}
      written=${shortly}
      told=${durationOf}
      listOf=${listOf}
    />
  </figure>`;
}

/** Draws shares of errors as lines. */
export function ErrorFigure({ stats, caption, series, listOf = (span) => runsIn(span) }: FigureProps) {
  const { axis, days } = plotOf(stats);
  return html`<figure class="figure">
    <figcaption>${caption}</figcaption>
    <${Chart}
      axis=${axis}
      days=${days}
      unit="% of runs"
      label=${caption}
      kind="lines"
      series=${series}
      written=${percent}
      listOf=${listOf}
    />
  </figure>`;
}

// Of round marks, without the decimals of a measured duration.
const shortly = (ms: number): string =>
  ms < 1000 ? `${figure(ms)} ms` : ms < 60_000 ? `${figure(ms / 1000)} s` : `${figure(ms / 60_000)} min`;

/** Draws the runs by outcome, and links to those of a step or an outcome. */
export function OutcomeFigure({ stats, series }: FiguresProps) {
  const { axis } = plotOf(stats);
  return html`<${RunsFigure}
    stats=${stats}
    caption="Runs by outcome"
    series=${outcomeSeries(series, axis)}
    listOf=${(span: Span, status?: string) => runsIn(span, status === undefined ? {} : { status })}
  />`;
}

/** Draws the median and the 95th percentile of the durations. */
export function PercentileFigure({ stats, series }: FiguresProps) {
  const { axis } = plotOf(stats);
  return html`<${DurationFigure} stats=${stats} caption="Duration of runs" series=${durationSeries(series, axis)} />`;
}

/** Draws the share of errors. */
export function RateFigure({ stats, series }: FiguresProps) {
  const points = pointsOf(series ?? { points: [] }, plotOf(stats).axis);
  const rates = [{ id: 'errors', name: 'error rate', look: 'look-bad', values: points.map(errorRate) }];
  return html`<${ErrorFigure}
    stats=${stats}
    caption="Error rate: failed, timed out or unknown outcome"
    series=${rates}
  />`;
}

interface StepRow {
  readonly span: Span;
  readonly point: Point | undefined;
}

const columns: readonly Column<StepRow>[] = [
  { title: 'From', cell: ({ span: { from } }) => html`<${Time} at=${new Date(from).toISOString()} />` },
  {
    title: 'Runs',
    figures: true,
    cell: ({ span, point }) => html`<a href=${runsIn(span)}>${figure(point?.total ?? 0)}</a>`,
  },
  { title: 'Completed', figures: true, cell: ({ point }) => figure(point ? countOf(point, 'completed') : 0) },
  { title: 'Errors', figures: true, cell: ({ point }) => figure(point ? errorsOf(point) : 0) },
  { title: 'Error rate', figures: true, cell: ({ point }) => percent(errorRate(point)) },
  { title: 'Denied', figures: true, cell: ({ point }) => figure(point ? countOf(point, 'denied') : 0) },
  { title: 'p50', figures: true, cell: ({ point }) => durationOf(point?.p50_ms) },
  { title: 'p95', figures: true, cell: ({ point }) => durationOf(point?.p95_ms) },
];

/** Shows the figures of each step as a table, the newest first. */
export function StepTable({ stats, series, caption }: FiguresProps & { readonly caption: string }) {
  const { axis } = plotOf(stats);
  const show = () => {
    const rows = pointsOf(series ?? { points: [] }, axis).map((point, index): StepRow => {
      const from = axis.from + index * axis.step;
      return { span: { from, to: from + axis.step }, point };
    });
    return html`<${Table}
      caption=${caption}
      columns=${columns}
      rows=${rows.reverse()}
      rowKey=${({ span }: StepRow) => String(span.from)}
    />`;
  };
  return html`<${Unfold} title="Show as a table" show=${show} />`;
}
