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

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

function mean(figures: readonly number[]): number {
  return sum(figures) / figures.length;
}
