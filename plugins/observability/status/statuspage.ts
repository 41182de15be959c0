import { timestamp } from '../../../kernel/index.ts';
import { serviceTitles, services, type ServiceName, type Status } from '../contract.ts';
import type { Snapshot } from './board.ts';
import type { IncidentEntry } from './schema.ts';

/** Terms of Statuspage's API v2 (https://metastatuspage.com/api) for the platform as a whole. */
const indicators: Readonly<Record<Status, { readonly indicator: string; readonly description: string }>> = {
  operational: { indicator: 'none', description: 'All Systems Operational' },
  under_maintenance: { indicator: 'maintenance', description: 'Service Under Maintenance' },
  degraded_performance: { indicator: 'minor', description: 'Partially Degraded Service' },
  partial_outage: { indicator: 'major', description: 'Partial System Outage' },
  major_outage: { indicator: 'critical', description: 'Major Service Outage' },
};

/** The page to which an answer belongs. */
export interface PageFrame {
  /** Id of the installation. */
  readonly id: string;
  readonly publicUrl: string;
}

/** Writes `page`. */
export function pageOf({ at }: Snapshot, { id, publicUrl }: PageFrame): object {
  return {
    id,
    name: 'Agent Orb Platform',
    url: `${publicUrl}/status.html`,
    time_zone: 'Etc/UTC',
    updated_at: timestamp(at),
  };
}

/** Writes `status`. */
export function indicatorOf({ status }: Snapshot): object {
  return indicators[status];
}

/** Writes `components`: the four services, in their order. */
export function componentsOf(snapshot: Snapshot, frame: PageFrame): readonly object[] {
  return services.map((service) => componentOf(service, snapshot, frame));
}

function componentOf(service: ServiceName, { services: found, since, observedSince }: Snapshot, { id }: PageFrame) {
  return {
    id: service,
    name: serviceTitles[service],
    status: found[service],
    created_at: timestamp(observedSince),
    updated_at: timestamp(since[service]),
    position: services.indexOf(service) + 1,
    description: null,
    showcase: true,
    start_date: timestamp(observedSince).slice(0, 10),
    group_id: null,
    page_id: id,
    group: false,
    only_show_if_degraded: false,
  };
}

/** Writes an entry of `incidents`. */
export function statuspageIncident(entry: IncidentEntry, snapshot: Snapshot, frame: PageFrame): object {
  const { id, title, status, impact, started_at, updated_at, resolved_at } = entry;
  const updates = updatesOf(entry);
  const components = entry.components.map((service) => componentOf(service, snapshot, frame));
  return {
    id,
    name: title,
    status,
    created_at: started_at,
    updated_at,
    monitoring_at: updates.find((update) => update.status === 'monitoring')?.created_at ?? null,
    resolved_at: resolved_at ?? null,
    impact: impact === 'none' ? 'none' : indicators[impact].indicator,
    shortlink: entry.url,
    started_at,
    page_id: frame.id,
    incident_updates: updates,
    components,
  };
}

/** Writes an entry of `scheduled_maintenances`. */
export function statuspageMaintenance(entry: IncidentEntry, snapshot: Snapshot, frame: PageFrame): object {
  return {
    ...statuspageIncident(entry, snapshot, frame),
    scheduled_for: entry.started_at,
    scheduled_until: entry.scheduled_until,
  };
}

// Newest first and never empty: readers show the first one's text. Texts come only from the operator and the platform.
function updatesOf(entry: IncidentEntry) {
  const { id, title, status, scheduled, started_at, resolved_at, updates } = entry;
  const first = { at: started_at, status: scheduled ? 'scheduled' : 'investigating', message: `${title}.` };
  const last = { at: resolved_at ?? started_at, status, message: scheduled ? 'Completed.' : 'Resolved.' };
  const all = [first, ...updates, ...(resolved_at === undefined ? [] : [last])];
  // The sort by time puts updates written after the end behind `last`.
  const told = all.toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  return told
    .map(({ at, status, message: body }, index) => ({
      ...{ id: `${id}.${index + 1}`, status, body, incident_id: id },
      ...{ created_at: at, updated_at: at, display_at: at },
    }))
    .reverse();
}
