import { timestamp } from '../../../../kernel/index.ts';
import type { Phase, Stretch } from '../../contract.ts';
import type { IncidentFact } from '../fact.ts';
import type { Ending } from '../cluster/episode.ts';
import type { DeliveryRef } from '../cluster/event.ts';
import type { Desired, IncidentKind } from '../cluster/incident.ts';

/** The whole state of an incident as it is attested, without what belongs to one change. */
export type Attested = Omit<IncidentFact['facts'], 'change' | 'change_number' | 'deliveries'>;

/** What is shown of an incident beside its attested state: it follows from the same signals and is kept with it. */
export interface Shown {
  readonly phase: Phase;
  readonly ending?: Ending;
  readonly acknowledged_at?: string;
  readonly corroborated: boolean;
  readonly flapping: boolean;
  readonly reopen_count: number;
  readonly stretches: readonly Stretch[];
  /** The vendor's words, or the operator's. */
  readonly title: string;
}

/** An incident as it is stored. */
export interface IncidentRecord {
  /** `inc_<ulid>` */
  readonly incident_id: string;
  readonly key: string;
  readonly kind: IncidentKind;
  /** Number of its last attested change. */
  readonly change_number: number;
  readonly retracted: boolean;
  /** The incident that took its place when signals showed that both are one. */
  readonly merged_into?: string;
  readonly facts: Attested;
  readonly shown: Shown;
  /** All that were listed by its changes so far. */
  readonly deliveries: readonly DeliveryRef[];
  readonly updated_at: string;
  /** Receipt of its last change. */
  readonly receipt_id: string;
}

/** The state to attest of a desired incident. */
export function attestedOf(desired: Desired): Attested {
  const { state, severity, scope, starts_ms, ends_ms, principal, reason, receipt_id } = desired;
  return {
    state,
    severity,
    scope: scope.map(({ kind, id }) => ({ kind, id })),
    starts_at: timestamp(starts_ms),
    ...(ends_ms === undefined ? {} : { ends_at: timestamp(ends_ms) }),
    ...(principal === undefined ? {} : { principal }),
    ...(reason === undefined ? {} : { reason }),
    ...(receipt_id === undefined ? {} : { receipt_id }),
  };
}

/** What is shown of a desired incident. */
export function shownOf(desired: Desired): Shown {
  const { phase, ending, acknowledged_ms, corroborated, flapping, reopened, stretches, title } = desired;
  return {
    phase,
    ...(ending === undefined ? {} : { ending }),
    ...(acknowledged_ms === undefined ? {} : { acknowledged_at: timestamp(acknowledged_ms) }),
    corroborated,
    flapping,
    reopen_count: reopened,
    stretches: stretches.map(({ from_ms, to_ms, severity }, index) => ({
      from: timestamp(from_ms),
      // While it is held open after its end it still counts as active.
      ...(to_ms === undefined || (index === stretches.length - 1 && desired.state !== 'resolved')
        ? {}
        : { to: timestamp(to_ms) }),
      severity,
    })),
    title,
  };
}
