import { given, timestamp } from '../../../kernel/index.ts';
import { worst, type Status } from '../contract.ts';
import { each, type Span } from './measure.ts';
import type { Day, DayPart } from './schema.ts';
import { platformUptime, uptimeOf, type Lanes, type Uptime, type Window } from './uptime.ts';

const dayMs = 86_400_000;

/** Returns the window of the last `days` UTC days up to now, today included. */
export function windowOfDays(now: number, days: number): Window {
  return { from: (Math.floor(now / dayMs) - days + 1) * dayMs, to: now };
}

/** Counts the uptime of each UTC day of a window, newest day first; time before `observedSince` is not observed. */
export function daysOf(lanes: Lanes, { from, to }: Window, observedSince: number): readonly Day[] {
  const found: Day[] = [];
  for (let start = from; start < to; start += dayMs) {
    const window = { from: start, to: Math.min(start + dayMs, to) };
    const services = each((service) =>
      part(statusIn(lanes[service], window, observedSince), uptimeOf(lanes[service], window, observedSince)),
    );
    const all = Object.values(services).flatMap(({ status }) => status ?? []);
    const status = all.length === 0 ? undefined : worst(all);
    const day = timestamp(start).slice(0, 10);
    found.push({ day, ...part(status, platformUptime(lanes, window, observedSince)), services });
  }
  return found.reverse();
}

function part(status: Status | undefined, { observed_seconds, downtime_seconds, uptime_pct }: Uptime): DayPart {
  return { ...given({ status }), downtime_seconds, ...(observed_seconds === 0 ? {} : { uptime_pct }) };
}

function statusIn(spans: readonly Span[], { from, to }: Window, observedSince: number): Status | undefined {
  const start = Math.max(from, observedSince);
  if (start >= to) return undefined;
  return worst(spans.filter((span) => span.from < to && (span.to ?? to) > start).map(({ status }) => status));
}
