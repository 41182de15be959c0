import type { IncidentView } from '../../contract.ts';
import type { DeliveryRef } from './event.ts';
import type { IncidentFact } from '../../fact.ts';

/**
 * A person's decision about an incident: its episodes at that time end at `at_ms`, or count as if they had never
 * opened.
 */
export interface Act {
  readonly act_id: string;
  readonly incident_id: string;
  readonly kind: 'acknowledged' | 'resolved' | 'retracted';
  readonly at_ms: number;
  readonly principal: string;
  readonly reason?: string;
}

/** The way an episode ended. */
export type Ending = 'recovered' | 'expired' | 'suppressed' | 'manual';

/** The whole attested state of an incident, without the members of one change. */
export type Attested = Omit<IncidentFact['facts'], 'change' | 'change_number' | 'deliveries'>;

type Seen = 'phase' | 'acknowledged_at' | 'corroborated' | 'flapping' | 'reopen_count' | 'stretches';

/** The view of an incident besides its attested state: derived from the same signals and stored with it. */
export interface Shown extends Pick<IncidentView, Seen> {
  readonly ending?: Ending;
  /** The vendor's words, or the operator's. */
  readonly title: string;
}

/** An incident as it is stored. */
export interface IncidentRecord {
  /** `inc_<ulid>` */
  readonly incident_id: string;
  readonly key: string;
  readonly kind: IncidentView['kind'];
  /** Number of the last attested change. */
  readonly change_number: number;
  readonly retracted: boolean;
  /** The incident that replaced it after signals showed that both are one. */
  readonly merged_into?: string;
  readonly facts: Attested;
  readonly shown: Shown;
  /** All deliveries listed by its changes so far. */
  readonly deliveries: readonly DeliveryRef[];
  readonly updated_at: string;
  /** Receipt of the last change. */
  readonly receipt_id: string;
}

/** An incident as lists show it: without its deliveries. */
export type IncidentRow = Omit<IncidentRecord, 'deliveries'>;
