import type { IncidentFact } from './fact.ts';

/** Tells listeners of one attested change of an incident. */
export interface IncidentChanged {
  /** `inc_<ulid>` */
  readonly incident_id: string;
  readonly change: IncidentFact['facts']['change'];
  readonly state: IncidentFact['facts']['state'];
  readonly severity: IncidentFact['facts']['severity'];
  readonly scope: IncidentFact['facts']['scope'];
  readonly receipt_id: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}
