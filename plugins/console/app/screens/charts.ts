import { useEffect, useRef } from 'preact/hooks';
import { withQuery } from '../frame/api.ts';
import { runEvents, useEvents } from '../frame/events.ts';
import { html } from '../frame/html.ts';
import { Page } from '../frame/page.ts';
import { useGet } from '../frame/resource.ts';
import { go, hrefOf } from '../frame/router.ts';
import type { ScreenProps } from '../frame/screen.ts';
import { Chart } from '../parts/chart.ts';
import { ApiCall } from '../parts/code.ts';
import { SelectField } from '../parts/field.ts';
import { Empty, Loading, ProblemNote } from '../parts/notice.ts';
import { Table, type Column } from '../parts/table.ts';
import { durationOf, Time } from '../parts/time.ts';
import type { Point, Series, Stats } from '../frame/wire.ts';

const spans = [
  ['minute', 'The last hour'],
  ['hour', 'The last week'],
  ['day', 'The last 90 days'],
] as const;
const groups = [
  ['', 'All runs'],
  ['orb_id', 'By Orb'],
  ['provider', 'By provider'],
] as const;
const stepMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

const failed = ({ statuses }: Point): number =>
  (statuses['failed'] ?? 0) + (statuses['timed_out'] ?? 0) + (statuses['indeterminate'] ?? 0);
const denied = ({ statuses }: Point): number => statuses['denied'] ?? 0;
const sum = (points: readonly Point[], of: (point: Point) => number): number =>
  points.reduce((total, point) => total + of(point), 0);

/** Shows runs, failures, denials and durations over time, each chart next to its table. */
export function Charts({ query }: ScreenProps) {
  const { step = 'minute', by = '' } = query;
  const path = withQuery('/stats', { step, by });
  const { value, problem, loading, reload } = useGet<Stats>(path);
  useFollowing(reload);
  const choose = (name: string) => (chosen: string) => go(hrefOf('/charts', { ...query, [name]: chosen }));
  return html`<${Page} title="Charts" about="Number, result and duration of finished runs over time.">
    <div class="filters wide">
      <${SelectField} label="Period" options=${spans} value=${step} onChange=${choose('step')} />
      <${SelectField} label="Show" options=${groups} value=${by} onChange=${choose('by')} />
    </div>
    <${ProblemNote} problem=${problem} retry=${reload} />
    ${loading && value === undefined && html`<${Loading} what="Counting" />`}
    ${
      value?.series.every(({ points }) => points.length === 0) &&
      html`<${Empty} title="No runs finished in this period"
        ><p><a href=${hrefOf('/try')}>Try an Orb</a>, or choose a longer period.</p><//
      >`
    }
    ${value && by !== '' && value.series.length > 0 && html`<${Table} caption="All series" columns=${sums} rows=${value.series} rowKey=${({ value: name = '' }: Series) => name} />`}
    ${value?.series
      .filter(({ points }) => points.length > 0)
      .slice(0, most)
      .map(
        (series) =>
          html`<${OneSeries} key=${series.value ?? ''} stats=${value} series=${series} grouped=${by !== ''} />`,
      )}
    <${ApiCall} call=${{ path }} />
  <//>`;
}

const restMs = 3000;

// Read again after a run, but not for each of many.
function useFollowing(reload: () => void): void {
  const due = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const soon = (): void => {
    due.current ??= setTimeout(() => {
      due.current = undefined;
      reload();
    }, restMs);
  };
  useEvents(runEvents, soon, reload);
  useEffect(() => () => clearTimeout(due.current), []);
}

// The largest come first; the table above holds all of them.
const most = 6;

const nameOf = ({ value }: Series): string => (value === undefined ? 'Other' : value === '' ? 'none' : value);

const worst = (points: readonly Point[]): number | undefined => {
  const known = points.flatMap(({ p95_ms }) => p95_ms ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
};

const sums: readonly Column<Series>[] = [
  { title: 'Name', cell: nameOf },
  { title: 'Runs', figures: true, cell: ({ points }) => sum(points, ({ total }) => total) },
  { title: 'Failed', figures: true, cell: ({ points }) => sum(points, failed) },
  { title: 'Denied', figures: true, cell: ({ points }) => sum(points, denied) },
  { title: 'Highest p95', figures: true, cell: ({ points }) => durationOf(worst(points)) },
];

const columns: readonly Column<Point>[] = [
  { title: 'From', cell: ({ at }) => html`<${Time} at=${at} />` },
  { title: 'Runs', figures: true, cell: ({ total }) => total },
  { title: 'Failed', figures: true, cell: failed },
  { title: 'Denied', figures: true, cell: denied },
  { title: 'Mean', figures: true, cell: ({ mean_ms }) => durationOf(mean_ms) },
  { title: 'p95', figures: true, cell: ({ p95_ms }) => durationOf(p95_ms) },
];

interface OneSeriesProps {
  readonly stats: Stats;
  readonly series: Series;
  readonly grouped: boolean;
}

function OneSeries({ stats: { from, to, step }, series, grouped }: OneSeriesProps) {
  const { points } = series;
  const title = grouped ? nameOf(series) : 'All runs';
  const axis = { from: Date.parse(from), to: Date.parse(to), step: stepMs[step] };
  const marks = (of: (point: Point) => number) =>
    points.map((point) => ({ at: Date.parse(point.at), value: of(point) }));
  const total = sum(points, ({ total: all }) => all);
  const bad = sum(points, (point) => failed(point) + denied(point));
  return html`<section class="panel stack">
    <h2>${title}</h2>
    <div class="columns">
      <figure class="figure">
        <figcaption>${`${total === 1 ? '1 run' : `${total} runs`}, ${bad} of them failed or denied`}</figcaption>
        <${Chart}
          label=${`${title}: runs over time`}
          axis=${axis}
          bars=${marks(({ total: all }) => all)}
          bad=${marks((point) => failed(point) + denied(point))}
          written=${String}
        />
      </figure>
      <figure class="figure">
        <figcaption>p95 duration, at most ${durationOf(worst(points))}</figcaption>
        <${Chart}
          label=${`${title}: p95 over time`}
          axis=${axis}
          bars=${marks(({ p95_ms = 0 }) => p95_ms)}
          written=${durationOf}
        />
      </figure>
    </div>
    <details>
      <summary>Show as a table</summary>
      <${Table}
        caption=${`${title}: figures`}
        columns=${columns}
        rows=${[...points].reverse()}
        rowKey=${({ at }: Point) => at}
      />
    </details>
  </section>`;
}
