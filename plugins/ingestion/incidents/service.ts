import { timestamp, type PluginScope } from '../../../kernel/index.ts';
import type { Incidents, IncidentView, Interval, MaintenanceView, Subject } from '../contract.ts';
import type { Maintenance } from './schema.ts';
import type { IncidentReads, IncidentRow } from './store/reading.ts';
import { concerns, intervalsOf, viewOf } from './cluster/view.ts';

/** The service, and the functions that notify it of changes. */
export type IncidentService = ReturnType<typeof createService>;

interface ServiceOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'log'> {
  readonly reads: IncidentReads;
}

/**
 * Creates the service: open incidents and coming windows are kept in memory, so they are available without the store.
 */
export function createService({ reads, clock, log }: ServiceOptions) {
  const open = new Map<string, IncidentView>();
  let windows: readonly MaintenanceView[] = [];
  const listeners = new Set<() => void>();
  const view = (row: IncidentRow): IncidentView => viewOf(row, reads.notes(row.incident_id));
  const tell = (): void => {
    for (const listener of listeners)
      try {
        listener();
      } catch (error) {
        log.error({ err: error }, 'a listener of incidents failed');
      }
  };
  const readWindows = (): void => {
    windows = reads.windows(timestamp(clock.now()), '~').map(planned);
  };
  for (const row of reads.open()) open.set(row.incident_id, view(row));
  readWindows();
  const service: Omit<Incidents, 'report'> = {
    open: () => [...open.values()].sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1)),
    maintenance() {
      const now = timestamp(clock.now());
      return windows.filter(({ ends_at }) => ends_at > now);
    },
    find(id) {
      const row = reads.incident(id);
      return row === undefined ? undefined : view(row);
    },
    between: (from, to) => reads.between(from, to).map(view),
    maintenanceBetween: (from, to) => reads.windows(from, to).map(planned),
    intervals: (subject, from, to) => historyOf(reads, subject, from, to),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    service,
    /** Notifies the service that an incident or its notes changed. */
    changed(id: string) {
      const row = reads.incident(id);
      if (row === undefined || row.retracted || row.facts.state === 'resolved') open.delete(id);
      else open.set(id, view(row));
      tell();
    },
    /** Notifies the service that a window changed. */
    planned() {
      readWindows();
      tell();
    },
  };
}

function planned({ maintenance_id, title, scope, starts_at, ends_at }: Maintenance): MaintenanceView {
  return { maintenance_id, title, scope, starts_at, ends_at };
}

function historyOf(reads: IncidentReads, subject: Subject, from: string, to: string): readonly Interval[] {
  const incidents = reads.between(from, to, subject).flatMap((row) => intervalsOf(row, from, to));
  const windows = reads
    .windows(from, to)
    .filter(({ scope }) => concerns(scope, subject))
    .map(({ maintenance_id, starts_at, ends_at }): Interval => ({
      kind: 'maintenance',
      maintenance_id,
      from: starts_at < from ? from : starts_at,
      to: ends_at > to ? to : ends_at,
    }));
  return [...incidents, ...windows].sort((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)));
}
