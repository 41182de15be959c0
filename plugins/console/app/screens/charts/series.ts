import type { Figures, Point, Series, Stats } from '../../frame/wire.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ChartSeries } from '../../parts/chart/chart.ts';
import { startsOf, type Axis, type Span } from '../../parts/chart/scale.ts';

/** The lengths of time that statistics are shown for, with the step of each. */
export const periods = [
  ['minute', 'Last hour'],
  ['quarter_hour', 'Last 24 hours'],
  ['hour', 'Last 7 days'],
  ['day', 'Last 90 days'],
] as const;

/** The step of the last 24 hours. */
export const usualStep = 'quarter_hour';

const minuteMs = 60_000;

/** The steps: how long each is, and how many runs per unit one run in it is. */
const steps = {
  minute: { ms: minuteMs, unit: 'runs per minute', scale: 1 },
  quarter_hour: { ms: 15 * minuteMs, unit: 'runs per minute', scale: 1 / 15 },
  hour: { ms: 60 * minuteMs, unit: 'runs per hour', scale: 1 },
  day: { ms: 1440 * minuteMs, unit: 'runs per day', scale: 1 },
} as const;

/** Makes what all charts of statistics have in common. */
export function plotOf({ from, to, step }: Stats) {
  const { ms, unit, scale } = steps[step];
  const axis: Axis = { from: Date.parse(from), to: Date.parse(to), step: ms };
  return { axis, unit, scale, days: step === 'day' };
}

/** How runs end, in the order of their bars, each with its colour. */
const outcomes = [
  ['completed', 'look-0'],
  ['failed', 'look-bad'],
  ['timed_out', 'look-1'],
  ['indeterminate', 'look-3'],
  ['denied', 'look-4'],
  ['cancelled', 'look-rest'],
] as const;

/** The statuses of runs that count as errors. */
const errors = ['failed', 'timed_out', 'indeterminate'] as const;

/** The filter of lists for runs that are errors. */
export const erring = { status: errors.join(',') } as const;

/** Counts the runs of one status. */
export const countOf = ({ statuses }: Pick<Figures, 'statuses'>, status: string): number => statuses[status] ?? 0;

/** Counts the runs that failed, timed out, or whose outcome is unknown. */
export const errorsOf = (of: Pick<Figures, 'statuses'>): number =>
  errors.reduce((sum, status) => sum + countOf(of, status), 0);

/** Says which share of the runs are errors; undefined without any run. */
export const errorRate = (of: Pick<Figures, 'statuses' | 'total'> | undefined): number | undefined =>
  of === undefined || of.total === 0 ? undefined : errorsOf(of) / of.total;

/** Lists the points of a series step by step; undefined: there was no run. */
export function pointsOf({ points }: Pick<Series, 'points'>, axis: Axis): readonly (Point | undefined)[] {
  const found = new Map(points.map((point) => [Date.parse(point.at), point]));
  return startsOf(axis).map((at) => found.get(at));
}

/** Makes one bar of each step for each way in which runs ended. */
export function outcomeSeries(series: Series | undefined, axis: Axis): readonly ChartSeries[] {
  const points = pointsOf(series ?? { points: [] }, axis);
  const always: readonly string[] = ['completed', 'failed'];
  return outcomes
    .filter(([status]) => always.includes(status) || points.some((point) => point && countOf(point, status) > 0))
    .map(([id, look]) => ({
      ...{ id, look, name: id.replaceAll('_', ' ') },
      values: points.map((point) => (point === undefined ? 0 : countOf(point, id))),
    }));
}

/** Makes the lines of the durations of a series. */
export function durationSeries(series: Series | undefined, axis: Axis): readonly ChartSeries[] {
  const points = pointsOf(series ?? { points: [] }, axis);
  return [
    { id: 'p50', name: 'p50', look: 'look-0', values: points.map((point) => point?.p50_ms) },
    { id: 'p95', name: 'p95', look: 'look-1', values: points.map((point) => point?.p95_ms) },
  ];
}

/** Names a series for people; `by`: what it is a group of. */
export function nameOf({ value, name = value }: Series, by: string): string {
  if (name === undefined) return 'others';
  if (by === 'status') return name.replaceAll('_', ' ');
  return name === '' ? 'none' : name;
}

/** Writes the address of the list of the runs that started in a time. */
export function runsIn({ from, to }: Span, filter: Readonly<Record<string, string>> = {}): string {
  return hrefOf('/runs', { ...filter, from: new Date(from).toISOString(), to: new Date(to).toISOString() });
}

/** Writes the address of the list of all runs of an answer. */
export const runsOf = ({ from, to }: Stats, filter?: Readonly<Record<string, string>>): string =>
  runsIn({ from: Date.parse(from), to: Date.parse(to) }, filter);

/** Writes a number with marks between thousands. */
export const figure = (count: number): string => count.toLocaleString('en', { maximumFractionDigits: 2 });

/** Writes a share. */
export const percent = (share: number | undefined): string =>
  share === undefined ? '–' : `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`;
