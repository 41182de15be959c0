import { html } from '../../frame/html.ts';
import { clockOf, dayOf, offsetOf } from '../time.ts';
import { marksTo, startsOf, timesOn, type Axis } from './scale.ts';

/** One quantity of a chart. */
export interface ChartSeries {
  readonly id: string;
  readonly name: string;
  /** The class of its colour. */
  readonly look: string;
  /** One for each step; undefined: there is none. */
  readonly values: readonly (number | undefined)[];
}

/** What is drawn. */
export interface PlotProps {
  readonly axis: Axis;
  /** Bars stand on each other. */
  readonly kind: 'bars' | 'lines';
  readonly series: readonly ChartSeries[];
  /** What the marks of the values count. */
  readonly unit: string;
  /** How many of the unit one of the values is. */
  readonly scale: number;
  /** Writes a mark. */
  readonly written: (value: number) => string;
  /** The smallest gap between two marks. */
  readonly least?: number | undefined;
  readonly inUtc: boolean;
}

/** Height of a plot, and the place for the marks around it. */
const height = 208;
const [left, right, above, below] = [56, 18, 24, 26];

/** Finds the step under a place of a plot that is so wide. */
export function stepAt(place: number, width: number, axis: Axis): number {
  const { length } = startsOf(axis);
  const index = Math.floor(((place - left) / (width - left - right)) * length);
  return Math.min(length - 1, Math.max(0, index));
}

/** Where times and values are drawn. */
interface Frame {
  readonly wide: number;
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  readonly marks: readonly number[];
  readonly width: number;
}

function frameOf({ axis, kind, series, scale, least }: PlotProps, width: number): Frame {
  const { from, to, step } = axis;
  const tops = startsOf(axis).map((_, index) => {
    const values = series.map(({ values: all }) => all[index] ?? 0);
    return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  const marks = marksTo(Math.max(...tops) * scale, least);
  const top = (marks.at(-1) ?? 1) / scale;
  const inside = width - left - right;
  return {
    ...{ width, marks, wide: (step / (to - from)) * inside },
    x: (at) => round(left + ((at - from) / (to - from)) * inside),
    y: (value) => round(height - below - (value / top) * (height - above - below)),
  };
}

const round = (place: number): number => Math.round(place * 10) / 10;

/** Draws a chart with its axes, `width` wide; `at`: the step that is chosen. */
export function Plot(props: PlotProps & { readonly width: number; readonly at: number | undefined }) {
  const { width, at, axis, kind } = props;
  const frame = frameOf(props, width);
  const { x, y, wide } = frame;
  const begin = at === undefined ? undefined : startsOf(axis)[at];
  return html`<svg class="plot" viewBox=${`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
    ${begin !== undefined && html`<rect class="plot-chosen" x=${x(begin)} y=${above} width=${wide} height=${y(0) - above} />`}
    <${Axes} of=${props} frame=${frame} />
    ${kind === 'bars' ? barsOf(props, frame) : linesOf(props, frame)}
  </svg>`;
}

const perTime = 64;

function Axes({ of: { axis, unit, written, scale, inUtc }, frame }: { readonly of: PlotProps; readonly frame: Frame }) {
  const { marks, width, x, y } = frame;
  const heights = marks.map((mark) => y(mark / scale));
  const times = timesOn(axis, Math.max(2, Math.floor(width / perTime)), offsetOf(axis.from, inUtc));
  const days = axis.to - axis.from > 3 * 86_400_000;
  const timeText = (at: number): string => {
    const clock = clockOf(at, inUtc);
    return days || clock === '00:00' ? dayOf(at, inUtc).slice('2026-'.length) : clock;
  };
  const lines = heights.map((place) => `M${left} ${place}H${width - right}`);
  return html`<path class="chart-grid" d=${lines.join('')} />
    <path class="chart-grid" d=${times.map((at) => `M${x(at)} ${y(0)}v4`).join('')} />
    <text class="plot-mark" x="0" y="12">${unit}</text>
    ${marks.map((mark, index) => html`<text class="plot-mark plot-value" x=${left - 6} y=${(heights[index] ?? 0) + 4}>${written(mark)}</text>`)}
    ${times.map((at) => html`<text class="plot-mark plot-time" x=${x(at)} y=${height - 6}>${timeText(at)}</text>`)}`;
}

// What is not zero is seen, however small its share is.
const leastTall = 1.5;

function barsOf({ axis, series }: PlotProps, { wide, x, y }: Frame) {
  const starts = startsOf(axis);
  const gap = wide > 4 ? 1 : 0;
  const bases = starts.map(() => 0);
  return series.map(({ look, values }) => {
    const bars = starts.map((at, index) => {
      const value = values[index] ?? 0;
      if (value <= 0) return '';
      const base = bases[index] ?? 0;
      bases[index] = base + value;
      const tall = Math.max(leastTall, y(base) - y(base + value));
      const across = round(Math.max(1, wide - gap));
      return `M${x(at)} ${y(base)}h${across}v${round(-tall)}h${-across}z`;
    });
    return html`<path class=${`${look} plot-bar`} d=${bars.join('')} />`;
  });
}

function linesOf({ axis, series }: PlotProps, { wide, x, y }: Frame) {
  const starts = startsOf(axis);
  return series.map(({ look, values }) => {
    const points = starts.map((at, index) => {
      const value = values[index];
      return value === undefined ? undefined : `${round(x(at) + wide / 2)} ${y(value)}`;
    });
    const line = points.map((point, index) => point && `${points[index - 1] === undefined ? 'M' : 'L'}${point}`);
    // One without a neighbour has no line: a line of no length has round ends.
    const lone = points.map((point, index) =>
      point && points[index - 1] === undefined && points[index + 1] === undefined ? `M${point}h0` : '',
    );
    return html`<path class=${`${look} plot-line`} d=${line.join('')} />
      <path class=${`${look} plot-line plot-dot`} d=${lone.join('')} />`;
  });
}
