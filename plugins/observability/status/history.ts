import { timestamp, type PluginScope } from '../../../kernel/index.ts';
import type { Incidents, IncidentView, MaintenanceView } from '../../ingestion/contract.ts';
import { concernsService, type Board, type Snapshot } from './board.ts';
import { daysOf, windowOfDays } from './days.ts';
import type { Day } from './schema.ts';
import { windowDays } from './uptime.ts';

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
export interface History {
  /** Returns the last days up to now; read once per snapshot of the board. Without the store: the data in memory. */
  of(days: number): Promise<Past>;
}

/** Creates a history. */
export function createHistory(
  board: Board,
  incidents: Incidents,
  { clock, log }: Pick<PluginScope<unknown, never>, 'clock' | 'log'>,
): History {
  const known = new Map<number, { readonly by: Snapshot; readonly past: Past }>();
  const read = async (days: number, { observedSince }: Snapshot): Promise<Past> => {
    const window = windowOfDays(clock.now(), days);
    const [from, to] = [timestamp(window.from), timestamp(window.to)];
    return {
      days: daysOf(await board.lanes(window), window, observedSince),
      incidents: (await incidents.between(from, to)).filter(concernsService).reverse(),
      maintenance: (await incidents.maintenanceBetween(from, to)).filter(concernsService).reverse(),
      complete: true,
    };
  };
  return {
    async of(days) {
      const by = await board.snapshot();
      const last = known.get(days);
      if (last?.by === by) return last.past;
      let past: Past;
      try {
        past = await read(days, by);
      } catch (err) {
        log.debug({ err }, 'the history of the status cannot be read');
        past = remembered(by, Math.min(days, windowDays), last?.past);
      }
      known.set(days, { by, past });
      return past;
    },
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
