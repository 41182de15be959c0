import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { go } from '../../frame/router.ts';
import { clockOf, dayOf, useUtc, zoneName } from '../time.ts';
import { Plot, stepAt, type ChartSeries, type PlotProps } from './plot.ts';
import { startsOf, type Axis, type Span } from './scale.ts';

export type { ChartSeries };

/** Quantities over time. */
export interface ChartProps extends Pick<PlotProps, 'axis' | 'kind' | 'series' | 'unit' | 'written' | 'least'> {
  /** Name for screen readers. */
  readonly label: string;
  /** Steps are days of UTC. */
  readonly days?: boolean;
  /** How many of the unit one of the values is; default: 1. */
  readonly scale?: number;
  /** Writes the value of a step; default: as its mark. */
  readonly told?: (value: number) => string;
  /** The sum of the values of a step means something: it is told too. */
  readonly summed?: boolean;
  /** Where a step is listed, or one series of it by its id; undefined: nowhere. */
  readonly listOf?: (span: Span, series?: string) => string | undefined;
}

/**
 * Draws quantities over time. The pointer and the arrow keys choose a step, whose values are told below; a click or Enter
 * leads to its list. Show a table next to it.
 */
export function Chart(props: ChartProps) {
  const { label, axis, series, unit, listOf, scale = 1, days = false } = props;
  const inUtc = useUtc() || days;
  const { box, width } = useWidth();
  const { at, last, handlers } = useChoice(props, (place) => stepAt(place, width, axis));
  const { shown, text } = tellerOf(props, inUtc);
  return html`<div class="chart-box">
    <${Legend} of=${series} />
    <div
      ref=${box}
      class=${`plot-box${listOf === undefined ? '' : ' plot-link'}`}
      role="slider"
      tabindex="0"
      aria-label=${`${label}, ${unit}`}
      aria-valuemin="0"
      aria-valuemax=${last}
      aria-valuenow=${at ?? last}
      aria-valuetext=${text(at ?? last)}
      ...${handlers}
    >
      <${Plot} ...${props} scale=${scale} inUtc=${inUtc} width=${width} at=${at} />
    </div>
    <p class="plot-told small">
      ${at === undefined ? html`<span class="muted">${hint(listOf !== undefined)}</span>` : shown(at)}
    </p>
  </div>`;
}

function spanAt({ from, step }: Axis, index: number): Span {
  return { from: from + index * step, to: from + (index + 1) * step };
}

// The step that the reader has chosen, and what chooses one; `stepOf`: finds the step at a place of the plot.
function useChoice({ axis, listOf }: ChartProps, stepOf: (place: number) => number) {
  const [chosen, choose] = useState<number>();
  const last = startsOf(axis).length - 1;
  const at = chosen === undefined ? undefined : Math.min(chosen, last);
  const open = (index: number): void => {
    const href = listOf?.(spanAt(axis, index));
    if (href !== undefined) go(href);
  };
  const placed = ({ clientX, currentTarget }: MouseEvent): number =>
    stepOf(clientX - (currentTarget as Element).getBoundingClientRect().left);
  const handlers = {
    onFocus: () => choose((now) => now ?? last),
    onPointerMove: (event: PointerEvent) => choose(placed(event)),
    onClick(event: PointerEvent): void {
      const index = placed(event);
      choose(index);
      // A finger cannot point before: the first touch tells the values, and a link below leads on.
      if (event.pointerType !== 'touch') open(index);
    },
    onKeyDown(event: KeyboardEvent): void {
      const next = moves[event.key]?.(at ?? last, last);
      if (event.key === 'Enter') open(at ?? last);
      else if (next !== undefined) choose(Math.min(last, Math.max(0, next)));
      else return;
      event.preventDefault();
    },
  };
  return { at, last, handlers };
}

// A step is written as its day, or its day with the times of its ends.
function spanText({ from, to }: Span, inUtc: boolean, isDay: boolean): string {
  const day = dayOf(from, inUtc);
  return isDay ? `${day} UTC` : `${day} ${clockOf(from, inUtc)}–${clockOf(to, inUtc)}`;
}

const hint = (lists: boolean): string =>
  `Point at the chart or use the arrow keys to read values${lists ? '; click or press Enter to list the runs' : ''}.`;

const stepsOfPage = 10;

/** Where keys lead from a step. */
const moves: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - stepsOfPage,
  PageUp: (at) => at + stepsOfPage,
  Home: () => 0,
  End: (_, last) => last,
};

// Tells the values of a step, for the ear and for the eye.
function tellerOf(props: ChartProps, inUtc: boolean) {
  const { axis, series, written, told = written, summed = false, days = false, listOf } = props;
  const timeOf = (index: number): string =>
    `${spanText(spanAt(axis, index), inUtc, days)}${days ? '' : ` ${zoneName(inUtc)}`}`;
  const valuesAt = (index: number) =>
    series.flatMap(({ id, name, look, values }) => {
      const value = values[index];
      return value === undefined || (value === 0 && summed) ? [] : [{ id, name, look, text: told(value) }];
    });
  const sumAt = (index: number): string => told(series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const none = 'no runs';
  const text = (index: number): string => {
    const values = valuesAt(index).map(({ name, text: value }) => `${name} ${value}`);
    const all = summed ? [`total ${sumAt(index)}`, ...values] : values.length === 0 ? [none] : values;
    return `${timeOf(index)}: ${all.join(', ')}`;
  };
  const shown = (index: number) => {
    const span = spanAt(axis, index);
    const values = valuesAt(index);
    return html`<strong>${timeOf(index)}</strong>
      ${summed && html`<${Told} href=${listOf?.(span)} name="total" text=${sumAt(index)} />`}
      ${values.map(({ id, ...one }) => html`<${Told} key=${id} ...${one} href=${listOf?.(span, id)} />`)}
      ${!summed && values.length === 0 && none}`;
  };
  return { shown, text };
}

interface ToldProps {
  readonly name: string;
  readonly text: string;
  readonly look?: string;
  readonly href: string | undefined;
}

function Told({ name, text, look, href }: ToldProps) {
  const value = html`${name} <span class="nums">${text}</span>`;
  return html`<span class="told"
    >${look && html`<span class=${`${look} swatch`} aria-hidden="true"></span>`}${href === undefined ? value : html`<a href=${href}>${value}</a>`}</span
  >`;
}

function Legend({ of }: { readonly of: readonly ChartSeries[] }) {
  return html`<ul class="legend small">
    ${of.map(({ id, name, look }) => html`<li key=${id}><span class=${`${look} swatch`} aria-hidden="true"></span>${name}</li>`)}
  </ul>`;
}

const [usualWidth, leastWidth] = [640, 200];

// The marks keep their size however wide the chart is.
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(usualWidth);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(leastWidth, Math.round(entry?.contentRect.width ?? usualWidth))),
    );
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return { box, width };
}
