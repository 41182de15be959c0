import { exactly, optional, timestamp } from '../../../kernel/index.ts';
import type { IncidentView, MaintenanceView } from '../../ingestion/contract.ts';
import { serviceTitles, services, statuses, statusTitles, type ServiceName, type Status } from '../contract.ts';
import type { Snapshot } from './board.ts';

const time = { type: 'string', format: 'date-time' } as const;

/** Schema of one entry of `incidents`: in the platform's own words, never a vendor's. */
export const incidentEntry = exactly('StatusIncident', {
  id: { type: 'string', description: 'Id of the incident or maintenance window' },
  title: { type: 'string', description: 'In words of the platform' },
  status: {
    enum: ['investigating', 'identified', 'monitoring', 'resolved', 'scheduled', 'in_progress', 'completed'],
    description: 'Where the work stands',
  },
  impact: {
    enum: ['none', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance'],
    description: 'What it means for the services',
  },
  components: { type: 'array', description: 'The services concerned', items: { enum: [...services] } },
  started_at: { ...time, description: 'When it began' },
  updated_at: { ...time, description: 'When it last changed' },
  acknowledged_at: optional({ ...time, description: 'When somebody took it up' }),
  resolved_at: optional({ ...time, description: 'When it was over' }),
  scheduled: { type: 'boolean', description: 'Planned work' },
  scheduled_until: optional({ ...time, description: 'Of planned work: when it ends' }),
  updates: {
    type: 'array',
    description: 'What was said of it',
    items: exactly({
      at: { ...time, description: 'When it happened' },
      status: { type: 'string', description: 'Where the work stood' },
      message: { type: 'string', description: 'What was said' },
    }),
  },
  url: { type: 'string', description: 'Address of its public page' },
});

const serviceStatus = { enum: [...statuses], description: 'Status of the service' } as const;

/** Schema of the body of /status: exactly these five members. */
export const statusBody = exactly('PlatformStatus', {
  status: { enum: [...statuses], description: 'That of the worst service' },
  uptime_30d_pct: {
    type: 'number',
    minimum: 0,
    maximum: 100,
    description: 'Of the last 30 days; see /status/formula',
  },
  incidents: { type: 'array', description: 'Those that are open, and planned maintenance', items: incidentEntry },
  services: {
    type: 'object',
    description: 'Status of each service',
    additionalProperties: false,
    required: [...services],
    properties: Object.fromEntries(services.map((name) => [name, serviceStatus])),
  },
  last_updated: { ...time, description: 'When it was measured' },
});

/** One entry of `incidents`. */
export interface IncidentEntry {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly impact: Status | 'none';
  readonly components: readonly ServiceName[];
  readonly started_at: string;
  readonly updated_at: string;
  readonly acknowledged_at?: string;
  readonly resolved_at?: string;
  readonly scheduled: boolean;
  readonly scheduled_until?: string;
  readonly updates: readonly { readonly at: string; readonly status: string; readonly message: string }[];
  readonly url: string;
}

/** Writes the body of /status. */
export function statusOf(snapshot: Snapshot, publicUrl: string): object {
  return {
    status: snapshot.status,
    uptime_30d_pct: snapshot.uptime.uptime_pct,
    incidents: entriesOf(snapshot, publicUrl),
    services: snapshot.services,
    last_updated: timestamp(snapshot.at),
  };
}

/** Writes the unresolved incidents, oldest first, and the active maintenance. */
export function entriesOf({ at, incidents, maintenance }: Snapshot, publicUrl: string): readonly IncidentEntry[] {
  return [
    ...incidents.map((incident) => incidentOf(incident, publicUrl)),
    ...maintenance.map((window) => maintenanceOf(window, publicUrl, at)),
  ];
}

/** Writes an incident; its title says which services are how bad, and nothing a sender wrote. */
export function incidentOf(incident: IncidentView, publicUrl: string): IncidentEntry {
  const { incident_id: id, scope, updates, starts_at, ends_at, acknowledged_at, updated_at } = incident;
  const impact = impactOf(incident);
  const components = componentsOf(scope);
  const names = components.map((name) => serviceTitles[name]).join(', ');
  return {
    id,
    title: `${names}: ${impact === 'none' ? 'notice' : statusTitles[impact]}`,
    status: incident.phase,
    impact,
    components,
    started_at: starts_at,
    updated_at,
    ...(acknowledged_at === undefined ? {} : { acknowledged_at }),
    ...(ends_at === undefined ? {} : { resolved_at: ends_at }),
    scheduled: false,
    updates: updates.map(({ at, phase, message }) => ({ at, status: phase, message })),
    url: `${publicUrl}/status.html#${id}`,
  };
}

// A resolved incident is shown as bad as it was.
function impactOf({ state, impact, severity }: IncidentView): Status | 'none' {
  if (state !== 'resolved') return impact;
  const words = {
    critical: 'major_outage',
    high: 'partial_outage',
    warning: 'degraded_performance',
    info: 'none',
  } as const;
  return words[severity];
}

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
