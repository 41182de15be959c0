import type { NamespaceGrant, TierEvent } from '../contract.ts';
import type { ResolutionLine } from '../fact/line.ts';
import type { Place } from '../fact/prefix.ts';
import type { OrbState } from './orb.ts';
import { Deciders, Spans, type DecidedAt, type Span } from './order.ts';
import { Waiting, type Revocation } from './resolutions.ts';
import type { Incident } from '../fact/incident.ts';

/** An entry that does not count, and why. */
export interface Refused extends Place {
  readonly reason: 'outcome_class' | 'latency_ok' | 'resolves_refused' | 'key_revoked' | 'unreadable';
}

/** A change of tier with its Orb. */
export type OrbEvent = TierEvent & { readonly orb_id: string };

/** Everything folded from the log except the counts. */
export interface State {
  readonly deciders: Deciders;
  readonly spans: Spans;
  readonly waiting: Waiting;
  /** The revoked receipt keys, by kid. */
  readonly revoked: Map<string, Revocation>;
  readonly orbs: Map<string, OrbState>;
  readonly incidents: Map<string, Incident>;
  readonly namespaces: Map<string, NamespaceGrant>;
  /** Receipts that do not count, by id: a resolution of such a receipt does not count either. */
  readonly refused: Map<string, Refused>;
}

/** The state as it is stored: plain rows. */
export interface StoredState {
  readonly deciders: readonly DecidedAt[];
  readonly spans: readonly Span[];
  readonly waiting: readonly ResolutionLine[];
  readonly revoked: readonly Revocation[];
  readonly orbs: readonly OrbState[];
  readonly incidents: readonly Incident[];
  readonly namespaces: readonly NamespaceGrant[];
  readonly refused: readonly Refused[];
}

/** Makes the state of its rows. */
export function stateOf(stored: StoredState): State {
  return {
    deciders: new Deciders(stored.deciders),
    spans: new Spans(stored.spans),
    waiting: new Waiting(stored.waiting),
    revoked: new Map(stored.revoked.map((key) => [key.kid, key])),
    orbs: new Map(stored.orbs.map((orb) => [orb.orb_id, orb])),
    incidents: new Map(stored.incidents.map((incident) => [incident.incident_id, incident])),
    namespaces: new Map(stored.namespaces.map((grant) => [grant.namespace, grant])),
    refused: new Map(stored.refused.map((entry) => [entry.receipt_id, entry])),
  };
}

/** Makes the state before the first entry. */
export function newState(): State {
  return {
    ...{ deciders: new Deciders(), spans: new Spans(), waiting: new Waiting(), revoked: new Map() },
    ...{ orbs: new Map(), incidents: new Map(), namespaces: new Map(), refused: new Map() },
  };
}

/** The changes since the last `take`, to be stored. */
export interface Changes {
  readonly orbs: readonly OrbState[];
  readonly incidents: readonly Incident[];
  readonly namespaces: readonly NamespaceGrant[];
  readonly refused: readonly Refused[];
  readonly events: readonly OrbEvent[];
  readonly deciders: readonly DecidedAt[];
  readonly revoked: readonly Revocation[];
  /** Resolutions that wait, and ids of those that do not any more. */
  readonly waiting: readonly ResolutionLine[];
  readonly arrived: readonly string[];
}
