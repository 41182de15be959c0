import { canonical, given, type Ids } from '../../../../kernel/index.ts';
import type { Subject } from '../../contract.ts';
import type { Signal } from '../../signals/signal.ts';
import type { Mapped } from '../../signals/subject.ts';
import type { SourcePolicy } from '../../sources/schema.ts';
import type { IncidentFact } from '../fact.ts';

/** A delivery as a fact of an incident names it. */
export type DeliveryRef = IncidentFact['facts']['deliveries'][number];

type OfSignal = 'fingerprint' | 'delivery_key' | 'ordinal' | 'state' | 'severity' | 'title' | 'url';

/**
 * What the fold reads of one signal, an operator's word or the auditor's; `title`: the vendor's words, for people with a key.
 * Times in ms since the Unix epoch.
 */
export interface AlertEvent extends Pick<Signal, OfSignal>, Pick<Mapped, 'scope' | 'rule'> {
  /** `sig_<ulid>` */
  readonly event_id: string;
  /** Which incidents it speaks for; empty: none by itself. */
  readonly key: string;
  readonly occurred_ms: number;
  /** May raise, join and close incidents that count. */
  readonly eligible: boolean;
  /** In force when it was taken, so that a later change of the source rewrites no history. */
  readonly policy: SourcePolicy;
  /** Absent: an operator's or the auditor's. */
  readonly delivery?: DeliveryRef;
  readonly vendor: string;
  /** Who opened it, of an operator's. */
  readonly principal?: string;
  /** The receipt that fails, of the auditor's. */
  readonly receipt_id?: string;
  /** The incident it was last found in. */
  readonly incident_id?: string;
  /** The resolution or retraction by a person that its incident got. */
  readonly act_id?: string;
}

// A clock that is ahead by more than this is no clock: the time of arrival counts.
const futureMs = 600_000;

/** Makes the event of a signal; `mapped`: whom it concerns by its source's rules. */
export function eventOf(signal: Signal, mapped: Mapped, policy: SourcePolicy): AlertEvent {
  const { signal_id, delivery_id, source_id, fingerprint, auth_strength } = signal;
  const eligible = isEligible(signal, mapped);
  const scope = eligible ? mapped.scope : [];
  const received = Date.parse(signal.received_at);
  const occurred = Date.parse(signal.occurred_at);
  return {
    event_id: signal_id,
    fingerprint,
    // A test proves that deliveries come through; it opens nothing.
    key: eligible ? keyOf(scope) : signal.test ? '' : `weak:${fingerprint}`,
    occurred_ms: occurred > received + futureMs ? received : occurred,
    delivery_key: signal.delivery_key,
    ordinal: signal.ordinal,
    state: signal.state,
    severity: signal.severity,
    eligible,
    scope,
    rule: mapped.rule,
    policy,
    delivery: { delivery_id, source_id, digest: signal.body_digest, auth_strength },
    vendor: signal.vendor,
    title: signal.title,
    ...given({ url: signal.url }),
  };
}

/** Of what a person, the auditor or a measurement says: it holds until they say otherwise. */
const ownPolicy: SourcePolicy = {
  default_severity: 'high',
  min_severity: 'info',
  auto_resolve: 'all',
  for_s: 0,
  hold_s: 0,
  reopen_window_s: 0,
};

type OwnEvent = Omit<AlertEvent, 'event_id' | 'delivery_key' | 'ordinal' | 'eligible' | 'policy'>;

/** Makes an event that no delivery brought: of an operator, the auditor or a measurement. */
export function ownEvent(ids: Ids, event: OwnEvent, hold_s = 0): AlertEvent {
  const id = ids('sig');
  const policy = { ...ownPolicy, hold_s };
  return { event_id: id, delivery_key: id, ordinal: 0, eligible: true, policy, ...event };
}

// Names the incidents of a scope; empty for none.
function keyOf(scope: readonly Subject[]): string {
  return scope.length === 0 ? '' : `scope:${canonical(scope)}`;
}

/** Compares events in the order of the fold: (occurred, delivery key, ordinal), then id. */
export function inOrder(a: AlertEvent, b: AlertEvent): number {
  if (a.occurred_ms !== b.occurred_ms) return a.occurred_ms - b.occurred_ms;
  if (a.delivery_key !== b.delivery_key) return a.delivery_key < b.delivery_key ? -1 : 1;
  if (a.ordinal !== b.ordinal) return a.ordinal - b.ordinal;
  return a.event_id < b.event_id ? -1 : Number(a.event_id > b.event_id);
}

// Anyone who knows the URL, or writes an error report, could bad-mouth a subject.
function isEligible({ auth_strength, test }: Signal, { outsider }: Mapped): boolean {
  return (auth_strength === 'strong' || auth_strength === 'shared_secret') && !test && !outsider;
}
