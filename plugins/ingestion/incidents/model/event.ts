import { isDeepStrictEqual } from 'node:util';
import { canonical, given, type Ids } from '../../../../kernel/index.ts';
import type { Subject } from '../../contract.ts';
import type { Signal } from '../../signals/signal.ts';
import type { Mapped } from './subject.ts';
import { severities, type SignalState } from '../../signals/words.ts';
import type { SourcePolicy } from '../../sources/settings/schema.ts';
import type { IncidentFact } from '../../fact.ts';

/** A delivery as an incident fact references it. */
export type DeliveryRef = IncidentFact['facts']['deliveries'][number];

type OfSignal = 'fingerprint' | 'delivery_key' | 'ordinal' | 'state' | 'severity' | 'title' | 'url';

/**
 * The part of a signal, of an operator's act or of an auditor's finding that the fold reads; `title`: the vendor's
 * words, shown only to callers with a key. Times in ms since the Unix epoch.
 */
export interface AlertEvent extends Pick<Signal, OfSignal>, Pick<Mapped, 'scope' | 'rule'> {
  /** `sig_<ulid>` */
  readonly event_id: string;
  /** Key of the incidents to which it may belong; empty: it opens none by itself. */
  readonly key: string;
  readonly occurred_ms: number;
  /** May open, join and close incidents that count. */
  readonly eligible: boolean;
  /** The policy in force when the event was accepted, so a later change of the source does not change history. */
  readonly policy: SourcePolicy;
  /** Absent for events of an operator or the auditor. */
  readonly delivery?: DeliveryRef;
  /** When a delivery last said the same. */
  readonly seen_ms?: number;
  readonly vendor: string;
  /** Who opened it, for an event of an operator. */
  readonly principal?: string;
  /** The receipt that does not verify, for an event of the auditor. */
  readonly receipt_id?: string;
  /** The incident to which it was last assigned. */
  readonly incident_id?: string;
  /** A person's resolution or retraction of its incident. */
  readonly act_id?: string;
}

/** An alert and a time: deliveries that repeat what they said of it have both in common. */
export type Place = Pick<AlertEvent, 'fingerprint' | 'occurred_ms'>;

/** An alert that a delivery named again, and when. */
export type Heard = Place & { readonly seen_ms: number };

/**
 * The states that end earlier reports of an alert: the vendor started again, or the alert is over. Late repetitions,
 * for example by a second Alertmanager or an attacker, do not prolong it.
 */
export const renewing: readonly SignalState[] = ['firing', 'resolved', 'suppressed'];

/** Writes a place as a key of maps. */
export function placeOf({ fingerprint, occurred_ms }: Place): string {
  return `${fingerprint} ${occurred_ms}`;
}

// If the sender's clock is ahead by more than this, it is wrong, and the time of arrival counts.
const futureMs = 600_000;

/**
 * Makes the event of a signal; `mapped`: the subjects found by the rules of its source. `isOwn`: it stems from what the
 * platform says of itself. Then it may only end an incident that it began before it was recognized as such.
 */
export function eventOf(signal: Signal, mapped: Mapped, policy: SourcePolicy, isOwn = false): AlertEvent {
  const { signal_id, delivery_id, source_id, fingerprint, auth_strength } = signal;
  const isIgnored = isOwn && signal.state !== 'resolved' && signal.state !== 'suppressed';
  const eligible = !isIgnored && isEligible(signal, mapped);
  const scope = eligible ? mapped.scope : [];
  const received = Date.parse(signal.received_at);
  const occurred = Date.parse(signal.occurred_at);
  return {
    event_id: signal_id,
    fingerprint,
    // A test only proves that deliveries arrive; it opens nothing.
    key: eligible ? keyOf(scope) : signal.test || isIgnored ? '' : `weak:${fingerprint}`,
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

/** Policy of events from persons, the auditor or measurements: they hold until their author ends them. */
const ownPolicy: SourcePolicy = {
  default_severity: 'high',
  min_severity: 'info',
  auto_resolve: 'all',
  for_s: 0,
  hold_s: 0,
  reopen_window_s: 0,
};

type OwnEvent = Omit<AlertEvent, 'event_id' | 'delivery_key' | 'ordinal' | 'eligible' | 'policy'>;

/** Makes an event without a delivery: of an operator, the auditor or a measurement. */
export function ownEvent(ids: Ids, event: OwnEvent, hold_s = 0): AlertEvent {
  const id = ids('sig');
  const policy = { ...ownPolicy, hold_s };
  return { event_id: id, delivery_key: id, ordinal: 0, eligible: true, policy, ...event };
}

// Makes the key of a scope; empty for an empty scope.
function keyOf(scope: readonly Subject[]): string {
  return scope.length === 0 ? '' : `scope:${canonical(scope)}`;
}

/**
 * Compares events in the order of the fold: by time, those of deliveries then by state and severity, the worst last, then
 * by (delivery key, ordinal) and id. So of several deliveries that say the same any may be the one whose event is kept.
 */
export function inOrder(a: AlertEvent, b: AlertEvent): number {
  if (a.occurred_ms !== b.occurred_ms) return a.occurred_ms - b.occurred_ms;
  const said = a.delivery === undefined || b.delivery === undefined ? 0 : weightOf(a) - weightOf(b);
  if (said !== 0) return said;
  if (a.delivery_key !== b.delivery_key) return a.delivery_key < b.delivery_key ? -1 : 1;
  if (a.ordinal !== b.ordinal) return a.ordinal - b.ordinal;
  return a.event_id < b.event_id ? -1 : Number(a.event_id > b.event_id);
}

// A firing comes before what became of it.
const states: readonly SignalState[] = ['info', 'firing', 'unknown', 'acknowledged', 'suppressed', 'resolved'];

function weightOf({ state, severity }: AlertEvent): number {
  return states.indexOf(state) * severities.length - severities.indexOf(severity);
}

/** Says whether two events say the same of an alert, so that the fold needs only one of them. */
export function saysSame(a: AlertEvent, b: AlertEvent): boolean {
  const members = ['fingerprint', 'occurred_ms', 'state', 'severity', 'eligible', 'key'] as const;
  return (
    members.every((name) => a[name] === b[name]) &&
    a.delivery?.auth_strength === b.delivery?.auth_strength &&
    isDeepStrictEqual(a.policy, b.policy)
  );
}

// Refuses weak proofs: anyone who has the URL, or sends an error report, could otherwise accuse a subject.
function isEligible({ auth_strength, test }: Signal, { outsider }: Mapped): boolean {
  return (auth_strength === 'strong' || auth_strength === 'shared_secret') && !test && !outsider;
}
