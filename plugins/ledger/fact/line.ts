import type { Position } from '../../receipts/contract.ts';
import type { LogSize, Profile } from '../contract.ts';
import type { AuthStrength, Incident } from '../score/debt.ts';
import type { NamespaceFact } from './namespace.ts';
import type { StandingChange } from './standing.ts';

/** How a run or a resolution counts. */
export type OutcomeClass = 'ok' | 'caller_fault' | 'policy_denied' | 'platform_fault' | 'orb_fault';

/** Of every entry: where it stands, and whose key signed it. */
export interface LineHead extends Position {
  readonly receipt_id: string;
  /** kid of the receipt key. */
  readonly signed_by: string;
}

/** What the ledger reads of a run; the later members check the earlier. */
export interface RunLine extends LineHead {
  readonly kind: 'run';
  readonly orb_id: string;
  readonly mode: 'live' | 'sandbox';
  readonly finished_at: string;
  readonly outcome_class: OutcomeClass;
  readonly is_self: boolean;
  readonly caller_ref?: string;
  readonly latency_ok?: boolean;
  readonly manifest_signed: boolean;
  /** Of the last attempt; without an attempt the one that was bound. */
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
export interface ResolutionLine extends LineHead {
  readonly kind: 'resolution';
  readonly orb_id: string;
  readonly mode: 'live' | 'sandbox';
  /** Of the run. */
  readonly finished_at: string;
  readonly outcome: 'sent' | 'not_sent';
  /** The run's latest receipt before this. */
  readonly resolves: string;
  readonly outcome_class: OutcomeClass;
  readonly supersedes: OutcomeClass;
  readonly is_self: boolean;
  readonly caller_ref?: string;
}

/** What the ledger reads of a swap. */
export interface SwapLine extends LineHead {
  readonly kind: 'swap';
  readonly at: string;
  readonly orb_id: string;
  readonly from?: string;
  readonly to: string;
  readonly state: string;
}

/** What the ledger reads of an incident: its whole state after a change. */
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
export interface StandingLine extends LineHead {
  readonly kind: 'standing';
  readonly at: string;
  readonly orb_id: string;
  readonly change: StandingChange['facts']['change'];
  readonly reason?: string;
  readonly manifest_digest?: string;
  readonly manifest_signed?: boolean;
}

/** What the ledger reads of the snapshot of a day. */
export interface SnapshotLine extends LineHead {
  readonly kind: 'standing';
  readonly at: string;
  readonly change: 'snapshot';
  readonly day: string;
  readonly logs: readonly LogSize[];
  readonly profile: Profile;
  readonly scoring_policy: { readonly id: string; readonly digest: string };
  readonly digest: string;
}

/** What the ledger reads of a namespace. */
export interface NamespaceLine extends LineHead {
  readonly kind: 'namespace';
  readonly at: string;
  readonly namespace: string;
  readonly change: 'granted' | 'revoked';
  readonly owner: NamespaceFact['facts']['owner'];
  readonly manifest_key?: NonNullable<NamespaceFact['facts']['manifest_key']>;
  readonly reason?: string;
}

/** What the ledger reads of a signing key. */
export interface KeyLine extends LineHead {
  readonly kind: 'key';
  readonly at: string;
  readonly kid: string;
  readonly role: 'receipt' | 'log' | 'certificate';
  readonly change: 'created' | 'rotated' | 'revoked';
  readonly from?: Position;
}

/** What the ledger reads of a fact of any other kind: that it happened. It moves no score. */
export interface OtherLine extends LineHead {
  readonly kind: 'other';
  readonly at: string;
}

/** What the ledger reads of one entry of the log: the line of `facts.ndjson`, but for its leaf hash. */
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
