/** What an incident or a maintenance window concerns. */
export interface Subject {
  readonly kind: 'component' | 'provider' | 'orb';
  readonly id: string;
}

/** An incident in a list. */
export interface Incident {
  readonly incident_id: string;
  readonly kind: string;
  readonly state: 'open' | 'acknowledged' | 'resolved';
  readonly retracted: boolean;
  readonly phase: string;
  readonly severity: string;
  readonly impact: string;
  readonly scope: readonly Subject[];
  readonly title: string;
  readonly starts_at: string;
  readonly ends_at?: string;
  readonly acknowledged_at?: string;
  readonly resolution?: string;
  readonly reason?: string;
  readonly principal?: string;
  readonly failing_receipt_id?: string;
  readonly merged_into?: string;
  readonly corroborated: boolean;
  readonly flapping: boolean;
  readonly reopen_count: number;
}

/** An incident with all that happened to it. */
export interface IncidentDetail extends Incident {
  readonly alerts: readonly {
    readonly fingerprint: string;
    readonly vendor: string;
    readonly state: string;
    readonly severity: string;
    readonly title: string;
    readonly first_at: string;
    readonly last_at: string;
    readonly events: number;
  }[];
  readonly notes: readonly {
    readonly note_id: string;
    readonly at: string;
    readonly principal: string;
    readonly text: string;
    readonly public: boolean;
    readonly phase?: string;
  }[];
  readonly changes: readonly {
    readonly change_number: number;
    readonly change: string;
    readonly at: string;
    readonly receipt_id: string;
    readonly state: string;
    readonly severity: string;
    readonly principal?: string;
    readonly reason?: string;
  }[];
}

/** What the acts on an incident are given. */
export interface IncidentActProps {
  readonly incident: IncidentDetail;
  readonly onDone: () => void;
}

/** A planned time in which a subject may be down. */
export interface MaintenanceWindow {
  readonly maintenance_id: string;
  readonly title: string;
  readonly scope: readonly Subject[];
  readonly starts_at: string;
  readonly ends_at: string;
  readonly principal?: string;
}

/** The types of the events that change incidents. */
export const incidentEvents = [
  'incident.opened',
  'incident.changed',
  'incident.resolved',
  'incident.retracted',
] as const;

/** The components, with their names for people. */
export const components = [
  ['runtime', 'Runtime'],
  ['reputation_ledger', 'Reputation ledger'],
  ['observable_engine', 'Observability'],
  ['ingestion', 'Ingestion'],
] as const;

/** Names a subject for people. */
export function nameOf({ kind, id }: Subject): string {
  if (kind !== 'component') return `${kind} ${id}`;
  return components.find(([name]) => name === id)?.[1] ?? id;
}

/** Writes the subjects of something; an incident of a weak alert has none. */
export function scopeText(scope: readonly Subject[]): string {
  return scope.length === 0 ? 'no subject' : scope.map(nameOf).join(', ');
}
