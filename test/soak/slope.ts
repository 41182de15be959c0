/** A figure at a time in milliseconds. */
export type Point = readonly [atMs: number, figure: number];

/** A straight line through points: its rise per hour, and the error of that. */
export interface Slope {
  readonly perHour: number;
  /** Standard error per hour; Infinity when there are fewer than three points. */
  readonly error: number;
}

const hourMs = 3_600_000;

/** Fits a line by least squares; undefined when all points are at one time or there are fewer than two. */
export function slopeOf(points: readonly Point[]): Slope | undefined {
  const count = points.length;
  const meanAt = mean(points.map(([at]) => at));
  const meanFigure = mean(points.map(([, figure]) => figure));
  const spread = sum(points.map(([at]) => (at - meanAt) ** 2));
  if (count < 2 || spread === 0) return undefined;
  const rise = sum(points.map(([at, figure]) => (at - meanAt) * (figure - meanFigure))) / spread;
  const rest = sum(points.map(([at, figure]) => (figure - meanFigure - rise * (at - meanAt)) ** 2));
  const error = count < 3 ? Infinity : Math.sqrt(rest / (count - 2) / spread);
  return { perHour: rise * hourMs, error: error * hourMs };
}

/**
 * Answers how the floor rises per hour: from the least figure of the first third to that of the last. A heap is a saw
 * whose teeth are longer than a minute, so its floor tells of a leak what a line through the teeth does not.
 */
export function floorRise(points: readonly Point[]): number | undefined {
  const [begin, end] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
  const third = (end - begin) / 3;
  if (third <= 0) return undefined;
  const least = (from: number): number =>
    Math.min(...points.filter(([at]) => at >= from && at <= from + third).map(([, figure]) => figure));
  const rise = least(end - third) - least(begin);
  return Number.isFinite(rise) ? (rise / (2 * third)) * hourMs : undefined;
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

function mean(figures: readonly number[]): number {
  return sum(figures) / figures.length;
}
