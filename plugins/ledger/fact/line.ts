import type {
  KeyPredicate,
  Position,
  ResolutionPredicate,
  RunPredicate,
  ScoreFact,
  SwapPredicate,
} from '../../receipts/contract.ts';
import type { NamespaceFact } from './namespace.ts';
import type { StandingChange, StandingFact } from './standing.ts';
import type { AuthStrength, Incident } from './incident.ts';

/** How a run or a resolution counts. */
export type OutcomeClass = ScoreFact['outcome_class'];

/** Members of every line: the entry's position, and the key that signed it. */
export interface LineHead extends Position {
  readonly receipt_id: string;
  /** kid of the receipt key. */
  readonly signed_by: string;
}

/** What the ledger reads of a run; the later members are used to check the earlier ones. */
export interface RunLine
  extends LineHead, Readonly<Pick<RunPredicate, 'orb_id' | 'mode' | 'finished_at'>>, Readonly<ScoreFact> {
  readonly kind: 'run';
  readonly manifest_signed: boolean;
  /** Of the last attempt; without an attempt, the bound provider. */
  readonly provider?: string;
  readonly execution_ms: number;
  readonly outcome: string;
  readonly caller_deadline: boolean;
  /** Codes of the reasons of a denial. */
  readonly codes: readonly string[];
  /** A provider was bound. */
  readonly bound: boolean;
  readonly objective_ms?: number;
}

/** What the ledger reads of a resolution. */
export interface ResolutionLine
  extends
    LineHead,
    Readonly<Pick<ResolutionPredicate, 'orb_id' | 'mode'>>,
    Readonly<ResolutionPredicate['score_fact']> {
  readonly kind: 'resolution';
  /** End of the run. */
  readonly finished_at: string;
  readonly outcome: 'sent' | 'not_sent';
  /** The run's latest receipt before this one. */
  readonly resolves: string;
}

/** Members that are read unchanged: of the predicate, then of its facts, in the order used by `facts.ndjson`. */
export const readMembers = {
  swap: [['orb_id'], ['from', 'to', 'state']],
  incident: [
    ['incident_id'],
    [
      ...(['change', 'change_number', 'state', 'severity', 'scope', 'starts_at', 'ends_at'] as const),
      ...(['reason', 'principal'] as const),
    ],
  ],
  standing: [['orb_id'], ['change', 'reason', 'manifest_digest', 'manifest_signed']],
  snapshot: [[], ['change', 'day', 'logs', 'profile', 'scoring_policy', 'digest']],
  namespace: [['namespace'], ['change', 'owner', 'manifest_key', 'reason']],
  key: [['kid'], ['role', 'change', 'from']],
} as const;

type MembersOf<K extends keyof typeof readMembers> = (typeof readMembers)[K];
type Chosen<T, Names extends readonly PropertyKey[]> = {
  readonly [N in keyof T as N extends Names[number] ? N : never]: T[N];
};
type ReadOf<P extends { readonly facts: object }, K extends keyof typeof readMembers> = LineHead & {
  readonly at: string;
} & Chosen<P, MembersOf<K>[0]> &
  Chosen<P['facts'], MembersOf<K>[1]>;

/** What the ledger reads of a swap. */
export type SwapLine = ReadOf<SwapPredicate, 'swap'> & { readonly kind: 'swap' };

/** What the ledger reads of an incident: its complete state after a change. */
export interface IncidentLine extends LineHead, Pick<Incident, 'incident_id' | 'change_number' | 'state' | 'severity'> {
  readonly kind: 'incident';
  readonly at: string;
  readonly change: 'opened' | 'changed' | 'retracted';
  readonly scope: Incident['scope'];
  readonly starts_at: string;
  readonly ends_at?: string;
  readonly reason?: string;
  readonly principal?: string;
  readonly deliveries: readonly {
    readonly delivery_id: string;
    readonly source_id: string;
    readonly auth_strength: AuthStrength;
  }[];
}

/** What the ledger reads of a change of standing. */
export type StandingLine = ReadOf<StandingChange, 'standing'> & { readonly kind: 'standing' };

/** What the ledger reads of the snapshot of a day. */
export type SnapshotLine = ReadOf<Exclude<StandingFact, StandingChange>, 'snapshot'> & { readonly kind: 'standing' };

/** What the ledger reads of a namespace. */
export type NamespaceLine = ReadOf<NamespaceFact, 'namespace'> & { readonly kind: 'namespace' };

/** What the ledger reads of a signing key. */
export type KeyLine = ReadOf<KeyPredicate, 'key'> & { readonly kind: 'key' };

/** What the ledger reads of a fact of any other kind: only that it exists. It changes no score. */
export interface OtherLine extends LineHead {
  readonly kind: 'other';
  readonly at: string;
}

/** What the ledger reads of one entry of the log: the line of `facts.ndjson` without its leaf hash. */
export type Line =
  | RunLine
  | ResolutionLine
  | SwapLine
  | IncidentLine
  | StandingLine
  | SnapshotLine
  | NamespaceLine
  | KeyLine
  | OtherLine;

/** Says whether a line is the snapshot of a day. */
export function isSnapshot(line: Line): line is SnapshotLine {
  return line.kind === 'standing' && line.change === 'snapshot';
}

/** Says whether a line revokes a receipt key. */
export function revokesReceipts({ role, change }: KeyLine): boolean {
  return role === 'receipt' && change === 'revoked';
}
