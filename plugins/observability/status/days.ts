import { timestamp } from '../../../kernel/index.ts';
import { worst, type ServiceName, type Status } from '../contract.ts';
import { each } from './measure.ts';
import { platformUptime, uptimeOf, type Lanes, type Span, type Window } from './uptime.ts';

/** What one day came to, of one service or of the platform. */
export interface DayPart {
  /** The worst of the day; absent when nothing of it was observed. */
  readonly status?: Status;
  readonly downtime_seconds: number;
  /** Absent when nothing of it counts. */
  readonly uptime_pct?: number;
}

/** One UTC day. */
export interface Day extends DayPart {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly services: Readonly<Record<ServiceName, DayPart>>;
}

const dayMs = 86_400_000;

/** The window of the last UTC days up to now, today included. */
export function windowOfDays(now: number, days: number): Window {
  return { from: (Math.floor(now / dayMs) - days + 1) * dayMs, to: now };
}

/** Counts each UTC day of a window, newest first; what lies before `observedSince` was not observed. */
export function daysOf(lanes: Lanes, { from, to }: Window, observedSince: number): readonly Day[] {
  const found: Day[] = [];
  for (let start = from; start < to; start += dayMs) {
    const window = { from: start, to: Math.min(start + dayMs, to) };
    const services = each((service) => {
      const { observed_seconds, downtime_seconds, uptime_pct } = uptimeOf(lanes[service], window, observedSince);
      return part(statusIn(lanes[service], window, observedSince), observed_seconds, downtime_seconds, uptime_pct);
    });
    const { observed_seconds, downtime_seconds, uptime_pct } = platformUptime(lanes, window, observedSince);
    const all = Object.values(services).flatMap(({ status }) => status ?? []);
    const status = all.length === 0 ? undefined : worst(all);
    const day = timestamp(start).slice(0, 10);
    found.push({ day, ...part(status, observed_seconds, downtime_seconds, uptime_pct), services });
  }
  return found.reverse();
}

function part(status: Status | undefined, observed: number, down: number, pct: number): DayPart {
  return {
    ...(status === undefined ? {} : { status }),
    downtime_seconds: down,
    ...(observed === 0 ? {} : { uptime_pct: pct }),
  };
}

function statusIn(spans: readonly Span[], { from, to }: Window, observedSince: number): Status | undefined {
  const start = Math.max(from, observedSince);
  if (start >= to) return undefined;
  return worst(spans.filter((span) => span.from < to && (span.to ?? to) > start).map(({ status }) => status));
}
