import { given, timestamp, type PluginScope } from '../../../kernel/index.ts';
import type { Incidents, IncidentView, MaintenanceView } from '../../ingestion/contract.ts';
import { concernsService, serviceSubjects, type Board, type Snapshot } from './board.ts';
import type { Day, DayPart } from './schema.ts';
import { platformUptime, uptimeOf, windowDays, type Lanes, type Uptime, type Window } from './uptime.ts';
import { worst, type Status } from '../contract.ts';
import { each, type Span } from './measure.ts';

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

/** The past of the services. */
export interface Past {
  /** Newest first. */
  readonly days: readonly Day[];
  /** Incidents that concerned a service, newest first. */
  readonly incidents: readonly IncidentView[];
  readonly maintenance: readonly MaintenanceView[];
  /** False when the store could not be read: resolved incidents may be missing. */
  readonly complete: boolean;
}

/** Reads the past. */
export type History = ReturnType<typeof createHistory>;

/** Creates a history. */
export function createHistory(
  board: Board,
  incidents: Incidents,
  { clock, log }: Pick<PluginScope<unknown, never>, 'clock' | 'log'>,
) {
  let reading: Reading | undefined;
  let lastRead: Past | undefined;
  const read = async ({ observedSince }: Snapshot): Promise<Whole> => {
    const at = clock.now();
    const window = windowOfDays(at, mostDays);
    const [from, to] = [timestamp(window.from), timestamp(window.to)];
    const past: Past = {
      days: daysOf(await board.lanes(window), window, observedSince),
      incidents: (await incidents.between(from, to, serviceSubjects)).filter(concernsService).reverse(),
      maintenance: (await incidents.maintenanceBetween(from, to)).filter(concernsService).reverse(),
      complete: true,
    };
    lastRead = past;
    return { at, past };
  };
  const failed = (err: unknown): undefined => void log.debug({ err }, 'the status history cannot be read');
  return {
    /**
     * Returns the last days up to now, at most 90; all of them are read once per snapshot of the board, for all callers.
     * Without the store: the data in memory.
     */
    async of(days: number) {
      const by = await board.snapshot();
      if (reading?.by !== by) reading = { by, whole: read(by).catch(failed) };
      const whole = await reading.whole;
      if (whole !== undefined) return lastDays(whole, days);
      const last = lastRead && lastDays({ at: clock.now(), past: lastRead }, days);
      return remembered(by, Math.min(days, windowDays), last);
    },
  };
}

/** The longest past that can be asked for. */
const mostDays = 90;

/** The longest past, and when it was read, ms. */
interface Whole {
  readonly at: number;
  readonly past: Past;
}

/** The read of one snapshot, in flight or done; undefined when the store could not be read. */
interface Reading {
  readonly by: Snapshot;
  readonly whole: Promise<Whole | undefined>;
}

// A day counts the same in every window, and what overlaps a shorter window also overlaps the longest.
function lastDays({ at, past }: Whole, days: number): Past {
  const from = timestamp(windowOfDays(at, days).from);
  return {
    ...past,
    days: past.days.slice(0, days),
    incidents: past.incidents.filter(({ ends_at }) => ends_at === undefined || ends_at > from),
    maintenance: past.maintenance.filter(({ ends_at }) => ends_at > from),
  };
}

// Counts the days from the spans in memory; has only the open incidents and those of the last successful read.
function remembered(snapshot: Snapshot, days: number, last: Past | undefined): Past {
  const { at, lanes, observedSince, incidents, maintenance } = snapshot;
  const window = windowOfDays(at, days);
  const open = new Set(incidents.map(({ incident_id }) => incident_id));
  const over = last?.incidents.filter(({ incident_id }) => !open.has(incident_id)) ?? [];
  return {
    days: daysOf(lanes, window, observedSince),
    incidents: [...incidents, ...over],
    maintenance: last?.maintenance ?? maintenance,
    complete: false,
  };
}
