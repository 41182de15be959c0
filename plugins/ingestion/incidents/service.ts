import { createListeners, timestamp, whenKnown, type Awaitable } from '../../../kernel/index.ts';
import type { Incidents, IncidentView, Interval, MaintenanceView, Subject } from '../contract.ts';
import type { Maintenance } from './model/schema.ts';
import type { NotedIncident } from './store/reading.ts';
import type { IncidentScope } from './store/scope.ts';
import type { IncidentRow } from './model/record.ts';
import { concerns, intervalsOf, viewOf } from './model/view.ts';

/** The service, and the functions that notify it of changes. */
export type IncidentService = Awaited<ReturnType<typeof createService>>;

/**
 * Creates the service: open incidents and coming windows are kept in memory, so they are available without the store.
 */
export async function createService({ reads, lists, clock, log }: IncidentScope) {
  const open = new Map<string, IncidentView>();
  let windows: readonly MaintenanceView[] = [];
  const listeners = createListeners((err) => log.error({ err }, 'a listener of incidents failed'));
  const inTurn = createTurns();
  const readWindows = (): Awaitable<void> =>
    inTurn('windows', reads.windows(timestamp(clock.now()), '~'), (found) => (windows = found.map(planned)));
  const takeOpen = (found: readonly NotedIncident[]): void => {
    open.clear();
    for (const noted of found) open.set(noted.row.incident_id, view(noted));
  };
  takeOpen(await reads.openNoted());
  await readWindows();
  const service: Omit<Incidents, 'report'> = {
    open: () => [...open.values()].sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1)),
    maintenance() {
      const now = timestamp(clock.now());
      return windows.filter(({ ends_at }) => ends_at > now);
    },
    find: (id) => whenKnown(reads.noted(id), (noted) => noted && view(noted)),
    titleOf: (id) => whenKnown(reads.noted(id), (noted) => noted?.row.shown.title),
    ...pastOf(lists),
    onChange: listeners.add,
  };
  const changed = (id: string): Awaitable<void> =>
    inTurn(id, reads.noted(id), (noted) => {
      if (noted === undefined || noted.row.retracted || noted.row.facts.state === 'resolved') open.delete(id);
      else open.set(id, view(noted));
      listeners.tell();
    });
  return {
    service,
    /** Notifies the service that an incident or its notes changed. */
    changed,
    /** Notifies the service that other nodes have changed incidents or their notes. */
    async changedElsewhere(ids: readonly string[]): Promise<void> {
      if (ids.length > fewIncidents) {
        await inTurn('open', reads.openNoted(), takeOpen);
        return listeners.tell();
      }
      for (const id of ids) await changed(id);
    },
    /** Notifies the service that a window changed. */
    planned: (): Awaitable<void> => whenKnown(readWindows(), listeners.tell),
  };
}

function view({ row, notes }: NotedIncident): IncidentView {
  return viewOf(row, notes);
}

function pastOf(reads: IncidentScope['lists']): Pick<Incidents, 'between' | 'intervals' | 'maintenanceBetween'> {
  return {
    between: (from, to, subjects) => whenKnown(reads.betweenNoted(from, to, subjects), (found) => found.map(view)),
    maintenanceBetween: (from, to) => whenKnown(reads.windows(from, to), (found) => found.map(planned)),
    intervals: (subjects, from, to) =>
      whenKnown(reads.history(subjects, from, to), ({ incidents, windows: during }) =>
        subjects.map((subject, at) => intervalsIn(incidents[at] ?? [], about(during, subject), from, to)),
      ),
  };
}

// A node that learns for longer than two seconds falls silent: more of them are read at once.
const fewIncidents = 10;

// Of two reads of the same that overlap, the one that began later counts.
function createTurns() {
  const reading = new Map<string, number>();
  let readings = 0;
  return <T>(what: string, read: Awaitable<T>, take: (found: T) => void): Awaitable<void> => {
    const turn = ++readings;
    reading.set(what, turn);
    return whenKnown(read, (found) => {
      if (reading.get(what) !== turn) return;
      reading.delete(what);
      take(found);
    });
  };
}

function planned({ maintenance_id, title, scope, starts_at, ends_at }: Maintenance): MaintenanceView {
  return { maintenance_id, title, scope, starts_at, ends_at };
}

const about = (windows: readonly Maintenance[], subject: Subject): readonly Maintenance[] =>
  windows.filter(({ scope }) => concerns(scope, subject));

function intervalsIn(rows: readonly IncidentRow[], during: readonly Maintenance[], from: string, to: string) {
  const incidents = rows.flatMap((row) => intervalsOf(row, from, to));
  const windows = during.map(({ maintenance_id, starts_at, ends_at }): Interval => ({
    kind: 'maintenance',
    maintenance_id,
    from: starts_at < from ? from : starts_at,
    to: ends_at > to ? to : ends_at,
  }));
  return [...incidents, ...windows].sort((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)));
}
