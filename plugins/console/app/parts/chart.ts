import { html } from '../frame/html.ts';
import { Time } from './time.ts';

/** A figure at a time, both in milliseconds since 1970. */
export interface Mark {
  readonly at: number;
  readonly value: number;
}

/** Bars over time; those of `bad` are drawn in front of the others. */
export interface ChartProps {
  readonly label: string;
  readonly axis: { readonly from: number; readonly to: number; readonly step: number };
  readonly bars: readonly Mark[];
  readonly bad?: readonly Mark[];
  /** Writes the highest figure. */
  readonly written: (value: number) => string;
}

const width = 600;
const height = 150;

/** Draws bars over time. A table shows the same data, so screen readers get the chart as one image. */
export function Chart({ label, axis, bars, bad = [], written }: ChartProps) {
  const { from, to, step } = axis;
  const top = Math.max(1, ...bars.map(({ value }) => value));
  const wide = Math.max(1.5, (step / (to - from)) * width - 1);
  const bar = (look: string) => (mark: Mark) => {
    const tall = mark.value === 0 ? 0 : Math.max(2, (mark.value / top) * height);
    const x = ((mark.at - from) / (to - from)) * width;
    return html`<rect class=${look} x=${x} y=${height - tall} width=${wide} height=${tall} />`;
  };
  return html`<svg
      class="bar-chart"
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label=${label}
    >
      <path class="chart-grid" d="M0 ${height - 0.5}H${width}M0 ${height / 2}H${width}M0 .5H${width}" />
      ${bars.map(bar('chart-total'))} ${bad.map(bar('chart-bad'))}
    </svg>
    <p class="chart-ends small muted">
      <span><${Time} at=${new Date(from).toISOString()} /></span><span>top: ${written(top)}</span>
      <span><${Time} at=${new Date(to).toISOString()} /></span>
    </p>`;
}
