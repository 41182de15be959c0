/** What others may import of ingestion: incidents as facts of the installation, without a word of a vendor. */
import { defineEvent, defineService } from '../../kernel/index.ts';
import type { IncidentFact } from './incidents/fact.ts';
import type { Impact, IncidentSeverity, incidentKinds, incidentStates, Phase, subjectKinds } from './incidents/fact.ts';

export { incidentFact, type IncidentFact } from './incidents/fact.ts';
export type { Impact, IncidentSeverity, Phase } from './incidents/fact.ts';

/** The components that an incident or a maintenance window can concern: the services of /status. */
export const componentNames = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'] as const;

/** One subject of an incident; `id` of an Orb with its version. */
export interface Subject {
  readonly kind: (typeof subjectKinds)[number];
  readonly id: string;
}

/** A stretch of an incident, half-open [from, to); times RFC 3339 UTC; without `to` it goes on. */
export interface Stretch {
  readonly from: string;
  readonly to?: string;
  readonly severity: IncidentSeverity;
}

/** What an operator wrote for everybody. */
export interface PublicUpdate {
  readonly at: string;
  readonly phase: Phase;
  readonly message: string;
}

/** One incident. Weak alerts' incidents have an empty `scope`: they colour nothing. */
export interface IncidentView {
  readonly incident_id: string;
  readonly kind: (typeof incidentKinds)[number];
  readonly state: (typeof incidentStates)[number];
  /** A false positive, or joined with another: as if it had never been. */
  readonly retracted: boolean;
  readonly phase: Phase;
  /** The worst it has been. */
  readonly severity: IncidentSeverity;
  /** By the severity it has now; `none` once resolved. */
  readonly impact: Impact;
  readonly scope: readonly Subject[];
  readonly starts_at: string;
  readonly ends_at?: string;
  readonly acknowledged_at?: string;
  readonly updated_at: string;
  /** At least two sources say so, each by a signature or a shared secret. */
  readonly corroborated: boolean;
  readonly flapping: boolean;
  readonly reopen_count: number;
  /** When it was active and how bad, oldest first: what uptime is counted from. */
  readonly stretches: readonly Stretch[];
  /** Oldest first. */
  readonly updates: readonly PublicUpdate[];
}

/** A planned time of work on subjects: opens nothing, counts as no downtime. */
export interface MaintenanceView {
  readonly maintenance_id: string;
  readonly title: string;
  readonly scope: readonly Subject[];
  readonly starts_at: string;
  readonly ends_at: string;
}

/** One interval of a subject's history: an incident's stretch, or maintenance. */
export type Interval =
  | ({ readonly kind: 'incident'; readonly incident_id: string; readonly impact: Impact } & Stretch)
  | { readonly kind: 'maintenance'; readonly maintenance_id: string; readonly from: string; readonly to: string };

/** Incidents, for whoever shows how the installation is. Only attested changes are seen. */
export interface Incidents {
  /** Open and acknowledged ones, oldest first; from memory, never throws. */
  open(): readonly IncidentView[];
  /** Windows that have not ended, by start; from memory, never throws. */
  maintenance(): readonly MaintenanceView[];
  find(incidentId: string): IncidentView | undefined;
  /** Those that were active at some time in [from, to), retracted ones left out, oldest first. Times RFC 3339 UTC. */
  between(from: string, to: string): readonly IncidentView[];
  /** Windows that overlap [from, to), by start. */
  maintenanceBetween(from: string, to: string): readonly MaintenanceView[];
  /** What concerned a subject in [from, to), clipped to it, by start; may overlap. `to` is absent while it goes on. */
  intervals(subject: Subject, from: string, to: string): readonly Interval[];
  /** Calls back after every change of an incident, a note for everybody, or a window; answers how to stop. */
  onChange(listener: () => void): () => void;
}

/** Reads incidents and maintenance windows. */
export const incidents = defineService<Incidents>('incidents');

/** Tells listeners of one attested change of an incident. */
export interface IncidentChanged extends Pick<IncidentFact['facts'], 'change' | 'state' | 'severity' | 'scope'> {
  /** `inc_<ulid>` */
  readonly incident_id: string;
  readonly receipt_id: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** An incident was opened, changed or retracted, and is attested. */
export const incidentChanged = defineEvent<IncidentChanged>('incidentChanged');
