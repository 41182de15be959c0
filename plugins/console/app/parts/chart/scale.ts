/** A time that is divided into steps of one length; milliseconds, the ends since 1970. */
export interface Axis {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long a day is, in milliseconds. */
export const dayMs = 24 * hourMs;

/** Lists when the steps of an axis begin. */
export function startsOf({ from, to, step }: Axis): readonly number[] {
  return Array.from({ length: Math.max(1, Math.ceil((to - from) / step)) }, (_, index) => from + index * step);
}

const mostGaps = 4;

/** Lists round marks from 0 to a value or just above it, at most five; `least`: the smallest gap between them. */
export function marksTo(highest: number, least = 0): readonly number[] {
  const top = highest > 0 ? highest : 1;
  const rough = Math.max(top / mostGaps, least);
  const power = 10 ** Math.floor(Math.log10(rough));
  const gap = ([1, 2, 5].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const count = Math.max(1, Math.ceil(top / gap - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * gap).toPrecision(12)));
}

const gaps = [
  ...[1, 5, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 30].map((days) => days * dayMs),
];

/** Lists round times on an axis, at most `most`; `offset`: how far UTC is ahead of the zone in which they are round. */
export function timesOn({ from, to }: Axis, most: number, offset: number): readonly number[] {
  const gap = gaps.find((one) => (to - from) / one <= most) ?? 30 * dayMs;
  const first = Math.ceil((from - offset) / gap) * gap + offset;
  const count = Math.max(0, Math.floor((to - first) / gap) + 1);
  return Array.from({ length: count }, (_, index) => first + index * gap);
}

/** One step of an axis. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
