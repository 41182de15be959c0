import type { Answered } from '../../../kernel/index.ts';
import { type ServiceName, type Status } from '../contract.ts';
import type { Span } from './measure.ts';
import type { uptimeFigures } from './schema.ts';

/** Spans of all services. */
export type Lanes = Readonly<Record<ServiceName, readonly Span[]>>;

/** A window of time, ms since 1970. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Uptime of a window. Seconds may have decimals and are weighted; percentages have 3 decimals, rounded down. */
export type Uptime = Window & Omit<Answered<typeof uptimeFigures>, keyof Window>;

/** The share of a second that counts as downtime, per status; maintenance counts neither as up nor as down. */
export const weights: Readonly<Record<Exclude<Status, 'under_maintenance'>, number>> = {
  operational: 0,
  degraded_performance: 0,
  partial_outage: 0.5,
  major_outage: 1,
};

/** Length of the window of /status, in days. */
export const windowDays = 30;
const dayMs = 86_400_000;

/** Returns the window of /status that ends now. */
export function windowAt(now: number, days: number = windowDays): Window {
  return { from: now - days * dayMs, to: now };
}

/**
 * Counts the uptime of one service in a window with a sweep over its spans. Where spans overlap, maintenance excludes
 * the time; otherwise the heaviest span counts. Time before `observedSince` counts neither as up nor as down.
 */
export function uptimeOf(spans: readonly Span[], window: Window, observedSince: number): Uptime {
  return sweep([spans], window, observedSince);
}

/** Counts the uptime of the platform: the worst service counts at each moment. */
export function platformUptime(spans: Lanes, window: Window, observedSince: number): Uptime {
  return sweep(Object.values(spans), window, observedSince);
}

function sweep(lanes: readonly (readonly Span[])[], window: Window, observedSince: number): Uptime {
  const from = Math.max(window.from, Math.min(observedSince, window.to));
  const edges = lanes.flatMap((spans, lane) => spans.flatMap((span) => edgesOf(span, lane, from, window.to)));
  edges.sort((a, b) => a.at - b.at);
  const open = lanes.map(() => new Map<Status, number>());
  let [at, observed, down] = [from, 0, 0];
  for (const edge of [...edges, undefined]) {
    const until = edge?.at ?? window.to;
    if (until > at) {
      const weight = weightOf(open);
      if (weight !== undefined) [observed, down] = [observed + until - at, down + (until - at) * weight];
      at = until;
    }
    const counts = edge === undefined ? undefined : open[edge.lane];
    if (edge !== undefined) counts?.set(edge.status, (counts.get(edge.status) ?? 0) + edge.by);
  }
  return result(window, observed, down);
}

function edgesOf({ from, to, status }: Span, lane: number, start: number, end: number) {
  const [first, last] = [Math.max(from, start), Math.min(to ?? end, end)];
  if (last <= first) return [];
  return [
    { at: first, lane, status, by: 1 },
    { at: last, lane, status, by: -1 },
  ];
}

// A service under maintenance is left out; when all services are, the time does not count.
function weightOf(lanes: readonly ReadonlyMap<Status, number>[]): number | undefined {
  const found = lanes.map((open) => {
    const active = [...open].filter(([, count]) => count > 0).map(([status]) => status);
    if (active.includes('under_maintenance')) return undefined;
    return Math.max(0, ...active.map((status) => (status === 'under_maintenance' ? 0 : weights[status])));
  });
  const counted = found.filter((weight) => weight !== undefined);
  return counted.length === 0 ? undefined : Math.max(...counted);
}

function result({ from, to }: Window, observed: number, down: number): Uptime {
  // Without observed time there is no downtime; the format requires a number.
  const pct = observed === 0 ? 100 : Math.min(100, Math.max(0, (100 * (observed - down)) / observed));
  return {
    from,
    to,
    observed_seconds: observed / 1000,
    downtime_seconds: down / 1000,
    coverage_pct: to === from ? 0 : floored((100 * observed) / (to - from)),
    uptime_pct: down === 0 ? 100 : Math.min(99.999, floored(pct)),
  };
}

// Without the small addend, floating-point error would cut a quotient such as 99.999 to 99.998.
function floored(value: number): number {
  return Math.floor(value * 1000 + 1e-7) / 1000;
}
