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
export type State = ReturnType<typeof stateOf>;

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

/** Makes the state of its rows; without rows, that before the first entry. */
export function stateOf(stored: Partial<StoredState>) {
  return {
    deciders: new Deciders(stored.deciders),
    spans: new Spans(stored.spans),
    waiting: new Waiting(stored.waiting),
    /** The revoked receipt keys, by kid. */
    revoked: keyed(stored.revoked, 'kid'),
    orbs: keyed(stored.orbs, 'orb_id'),
    incidents: keyed(stored.incidents, 'incident_id'),
    namespaces: keyed(stored.namespaces, 'namespace'),
    /** Receipts that do not count, by id: a resolution of such a receipt does not count either. */
    refused: keyed(stored.refused, 'receipt_id'),
  };
}

function keyed<T, K extends keyof T>(rows: readonly T[] = [], name: K): Map<T[K], T> {
  return new Map(rows.map((row) => [row[name], row]));
}

/** The changes since the last `take`, to be stored. */
export interface Changes extends Omit<StoredState, 'spans'> {
  readonly events: readonly OrbEvent[];
  /** Ids of resolutions that no longer wait. */
  readonly arrived: readonly string[];
}
