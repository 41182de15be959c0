import { given, timestamp } from '../../../../kernel/index.ts';
import type { IncidentView } from '../../contract.ts';
import type { Ending } from '../cluster/episode.ts';
import type { DeliveryRef } from '../cluster/event.ts';
import type { Desired } from '../cluster/incident.ts';
import type { IncidentFact } from '../fact.ts';

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

/** Makes the state to attest for a desired incident. */
export function attestedOf(desired: Desired): Attested {
  const { state, severity, scope, starts_ms, ends_ms, principal, reason, receipt_id } = desired;
  return given({
    state,
    severity,
    scope: scope.map(({ kind, id }) => ({ kind, id })),
    starts_at: timestamp(starts_ms),
    ends_at: moment(ends_ms),
    ...{ principal, reason, receipt_id },
  });
}

/** Makes the view of a desired incident. */
export function shownOf(desired: Desired): Shown {
  const { phase, ending, acknowledged_ms, corroborated, flapping, reopened, stretches, title } = desired;
  return given({
    ...{ phase, ending, acknowledged_at: moment(acknowledged_ms), corroborated, flapping, reopen_count: reopened },
    stretches: stretches.map(({ from_ms, to_ms, severity, impact }, index) => {
      // During the hold time after its end, an incident still counts as active.
      const held = index === stretches.length - 1 && desired.state !== 'resolved';
      return given({ from: timestamp(from_ms), to: held ? undefined : moment(to_ms), severity, impact });
    }),
    title,
  });
}

function moment(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : timestamp(ms);
}
