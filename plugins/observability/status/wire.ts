import { given, timestamp } from '../../../kernel/index.ts';
import { impactOf, type IncidentView, type MaintenanceView, type Stretch } from '../../ingestion/contract.ts';
import { serviceTitles, services, statusTitles, type ServiceName } from '../contract.ts';
import type { Snapshot } from './board.ts';
import type { IncidentEntry } from './schema.ts';

/** Writes the body of /status. */
export function statusOf(snapshot: Snapshot, publicUrl: string): object {
  return {
    status: snapshot.status,
    uptime_30d_pct: snapshot.uptime.uptime_pct,
    incidents: entriesOf(snapshot, publicUrl, snapshot.at),
    services: snapshot.services,
    last_updated: timestamp(snapshot.at),
  };
}

/** Writes incidents and maintenance windows, in their order; `now`: ms since 1970. */
export function entriesOf(
  { incidents, maintenance }: Pick<Snapshot, 'incidents' | 'maintenance'>,
  publicUrl: string,
  now: number,
): readonly IncidentEntry[] {
  return [
    ...incidents.map((incident) => incidentOf(incident, publicUrl)),
    ...maintenance.map((window) => maintenanceOf(window, publicUrl, now)),
  ];
}

/** Writes them by their start, newest first. */
export function newestEntries(...those: Parameters<typeof entriesOf>): readonly IncidentEntry[] {
  return entriesOf(...those).toSorted((one, other) => (one.started_at < other.started_at ? 1 : -1));
}

/**
 * Writes an incident; its title is that of an operator, or else names the services and the impact. It contains no text of
 * a sender.
 */
export function incidentOf(incident: IncidentView, publicUrl: string): IncidentEntry {
  const { incident_id: id, scope, updates, starts_at, ends_at, acknowledged_at, updated_at } = incident;
  const impact = impactShown(incident);
  const components = componentsOf(scope);
  const names = components.map((name) => serviceTitles[name]).join(', ');
  return {
    id,
    title: titleOf(updates) ?? `${names}: ${impact === 'none' ? 'notice' : statusTitles[impact]}`,
    status: incident.phase,
    impact,
    components,
    started_at: starts_at,
    updated_at,
    ...given({ acknowledged_at, resolved_at: ends_at }),
    scheduled: false,
    updates: updates
      .map(({ at, phase, message }) => ({ at, status: phase, message: message.replace(titleLine, '') }))
      .filter(({ message }) => message !== ''),
    url: `${publicUrl}/status.html#${id}`,
  };
}

// An operator titles an incident by a public note whose first line is a heading.
const titleLine = /^# ([^\n]{1,120})(?:\n+|$)/;

function titleOf(updates: IncidentView['updates']): string | undefined {
  return updates.flatMap(({ message }) => titleLine.exec(message)?.[1]?.trim() ?? []).at(-1);
}

// A resolved incident keeps its worst impact.
function impactShown({ state, impact, severity, stretches }: IncidentView): IncidentEntry['impact'] {
  if (state !== 'resolved') return impact;
  const periods: readonly Pick<Stretch, 'impact' | 'severity'>[] = stretches.length === 0 ? [{ severity }] : stretches;
  const found = new Set(periods.map((period) => period.impact ?? impactOf(period.severity)));
  return fromWorst.find((word) => found.has(word)) ?? 'none';
}

const fromWorst = ['major_outage', 'partial_outage', 'degraded_performance'] as const;

/** Writes a maintenance window. */
export function maintenanceOf(window: MaintenanceView, publicUrl: string, now: number): IncidentEntry {
  const { maintenance_id: id, title, scope, starts_at, ends_at } = window;
  const over = Date.parse(ends_at) <= now;
  return {
    id,
    title,
    status: over ? 'completed' : Date.parse(starts_at) <= now ? 'in_progress' : 'scheduled',
    impact: 'under_maintenance',
    components: componentsOf(scope),
    started_at: starts_at,
    updated_at: starts_at,
    ...(over ? { resolved_at: ends_at } : {}),
    scheduled: true,
    scheduled_until: ends_at,
    updates: [],
    url: `${publicUrl}/status.html#${id}`,
  };
}

function componentsOf(scope: IncidentView['scope']): readonly ServiceName[] {
  return services.filter((name) => scope.some(({ kind, id }) => kind === 'component' && id === name));
}
