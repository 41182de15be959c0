/**
 * What other plugins may import of the ledger: reputation, projected from the log. Plain values, wire names. A day
 * is `YYYY-MM-DD` in UTC; `…_milli` is thousandths, `…_micro` millionths.
 */
import { defineService, type Awaitable } from '../../kernel/index.ts';
import type { Position } from '../receipts/contract.ts';
import type { ManifestSignature } from './manifest-signature.ts';
import type { NamespaceFact } from './fact/namespace.ts';
import type { StandingChange } from './fact/standing.ts';
import type { ComponentName, Profile, SnapshotRef, TierEvent, UnmetGate, Tier, ScoreStatus } from './shapes.ts';

export { namespaceFact, type NamespaceFact } from './fact/namespace.ts';
export { standingFact, type StandingChange, type StandingFact } from './fact/standing.ts';
export {
  componentNames,
  objectiveMaximumMs,
  type ComponentName,
  type LogSize,
  type Profile,
  type ScoreStatus,
  type SnapshotRef,
  type TierEvent,
  type UnmetGate,
  tiers,
  type Tier,
} from './shapes.ts';
export { manifestType, verifiesManifest, type ManifestKey, type ManifestSignature } from './manifest-signature.ts';
export { newestFirst } from './newest.ts';
export {
  certificateRegister,
  type CertificateRegister,
  type CertificateReport,
  type CertificateSummary,
} from './certificate/format/report.ts';

/** Tiers that an Orb can reach: platinum needs an external witness, which cannot be provided yet. */
export const reachableTiers = ['none', 'bronze', 'silver', 'gold'] as const satisfies readonly Tier[];

/** One component: `points_milli` = `weight` × `value_milli`, both rounded from the exact value. */
export interface ComponentScore {
  readonly name: ComponentName;
  readonly weight: number;
  /** 0–1000 */
  readonly value_milli: number;
  /** 0–1000 × weight */
  readonly points_milli: number;
}

/** The measurements behind a score. */
export interface Basis {
  /** First and last of the 180 days. */
  readonly window_start: string;
  readonly window_end: string;
  /** Raw number of counted runs (ok and fault) in the window. */
  readonly runs_counted: number;
  readonly effective_runs_milli: number;
  readonly effective_callers_milli: number;
  /** Distinct callers in the window. */
  readonly callers: number;
  /** Days of the window with a good run. */
  readonly active_days: number;
  /** Day of the last good run; absent when there is none in the window. */
  readonly last_run_day?: string;
  /** Lower bound of the reliability, millionths. */
  readonly reliability_micro: number;
}

/**
 * The reputation of one Orb at the last snapshot; only `suspended`, `status`, `tier`, `tier_rank` and `suspended_tier`
 * follow a suspension and its end at once.
 */
export interface OrbReputation {
  readonly orb_id: string;
  readonly status: ScoreStatus;
  /** The tier it may claim now: `none` while it is suspended, and once it is yanked or removed. */
  readonly tier: Tier;
  /** 0 none – 4 platinum. */
  readonly tier_rank: number;
  readonly suspended: boolean;
  /** Codes of the causes: `operator`, `integrity_incident`, `critical_incident`, `namespace_revoked`. */
  readonly suspension_causes: readonly string[];
  /** The tier that returns when the suspension ends; absent when not suspended or when lost (14th snapshot). */
  readonly suspended_tier?: Tier;
  /** 0–100, rounded down; null: unscored. */
  readonly score: number | null;
  readonly score_milli: number | null;
  /** Component whose ceiling limits the score. */
  readonly limited_by?: ComponentName;
  /** Empty when no snapshot contains this Orb yet. */
  readonly components: readonly ComponentScore[];
  readonly basis?: Basis;
  /** First day of the current tier; for a suspended Orb, of the tier that returns. */
  readonly tier_since?: string;
  /** Day on which this tier was first reached. */
  readonly first_achieved?: string;
  /** Absent at the highest tier that can be reached. */
  readonly next_tier?: { readonly tier: Tier; readonly unmet: readonly UnmetGate[] };
  /** The manifest's signature verifies under the currently granted key. */
  readonly manifest_signed: boolean;
  /** Absent before the first snapshot with this Orb. */
  readonly snapshot?: SnapshotRef;
  readonly profile: Profile;
  readonly scoring_policy: { readonly id: string; readonly digest: string };
  /** Counted runs and distinct callers of the 30 days up to the snapshot. */
  readonly usage: { readonly runs_30d: number; readonly callers_30d: number };
  /** Incidents that touch the score at the snapshot; their debt in thousandths of the hundred that take all points. */
  readonly incidents: { readonly open: number; readonly debt_milli: number };
}

/** What one incident costs one Orb. */
export interface IncidentDebt {
  readonly orb_id: string;
  /** Thousandths of the hundred that take all points. */
  readonly debt_milli: number;
  /** The day for which it was computed; the snapshot of that day will contain it. */
  readonly snapshot_day: string;
}

/** The state of a listing, computed from the log; its texts are the publisher's. */
export interface ListingChange {
  readonly orb_id: string;
  /** The latest of published and deprecated; yanked and removed are final, and removed overrides yanked. */
  readonly state: Exclude<StandingChange['facts']['change'], 'suspended' | 'lifted'>;
  /** RFC 3339 UTC: first published. */
  readonly published_at: string;
  /** RFC 3339 UTC: the last change. */
  readonly changed_at: string;
  /** From the newest `published` entry. */
  readonly manifest_digest?: string;
  readonly manifest_signed: boolean;
  /** Why it was deprecated, yanked or removed. */
  readonly reason?: string;
  /** Receipt of the last change. */
  readonly receipt_id: string;
}

/** A namespace computed from the log: the state of its last entry. */
export interface NamespaceGrant extends Pick<NamespaceFact['facts'], 'owner' | 'manifest_key' | 'reason'> {
  readonly namespace: string;
  readonly state: NamespaceFact['facts']['change'];
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly receipt_id: string;
}

/** A change of an Orb's standing: of its suspension, its listing, or the grant of its namespace. */
export interface StandingChanged {
  /** Absent when a namespace changed. */
  readonly orb_id?: string;
  readonly namespace?: string;
  readonly change: 'suspended' | 'restored' | ListingChange['state'] | NamespaceGrant['state'];
}

/** The manifest of an Orb of this installation and its signature. */
export interface ManifestState {
  readonly orb_id: string;
  /** `sha256:<hex>` of its canonical form. */
  readonly digest: string;
  /** DSSE envelope from `data/orbs/<orb_id>.sig`, or the one kept by `offerSignature`; absent: none. */
  readonly signature?: ManifestSignature;
  /** The signature verifies under the currently granted key. */
  readonly signed: boolean;
}

/** Reputation, read from memory; entries of the log are included soon after their commit. */
export interface Reputation {
  /** The reputation at the last snapshot; an Orb that is not in the log is unscored. */
  get(orbId: string): OrbReputation;
  /** Every Orb that the log names (runs, resolutions, standings), sorted. */
  orbs(): readonly string[];
  listing(orbId: string): ListingChange | undefined;
  /** Answers the version for a bare name `<namespace>.<name>`: its newest active one; else the argument itself. */
  versionOf(orbIdOrName: string): string;
  /** All listings ever made, tombstones included, by orb_id. */
  listings(): readonly ListingChange[];
  namespace(name: string): NamespaceGrant | undefined;
  /** All namespaces ever granted, revoked ones included, by name. */
  namespaces(): readonly NamespaceGrant[];
  /** The cost of an incident for each Orb it affects, from all entries folded so far. */
  incidentDebts(incidentId: string): Awaitable<readonly IncidentDebt[]>;
  /** Changes of tier of one Orb, oldest first. */
  tierEvents(orbId: string): Awaitable<readonly TierEvent[]>;
  /** The last snapshot; undefined before the first. */
  snapshot(): SnapshotRef | undefined;
  /** Manifest of an Orb of the catalog; undefined: there is no such Orb. */
  manifest(orbId: string): ManifestState | undefined;
  /**
   * Reads `data/orbs/<orb_id>.sig` again and, when given, checks and keeps an envelope. Answers `given`: the envelope
   * verifies under the currently granted key (an invalid one is not kept); and `signed`: the state afterwards.
   */
  offerSignature(
    orbId: string,
    signature?: ManifestSignature,
  ): Promise<{ readonly given?: 'valid' | 'invalid'; readonly signed: boolean }>;
  /**
   * Resolves once every entry that was committed before the call is folded; rejects when the log cannot be read. While
   * the ledger is behind, runs are left out; without a projection it rejects with 503 `ledger_behind`.
   */
  settled(): Promise<void>;
  /** The last entry up to which runs are counted, while the ledger is behind the log. */
  asOf(): Position | undefined;
  /** Calls the listener after each attested snapshot; answers a function that stops this. */
  onSnapshot(listener: (snapshot: SnapshotRef) => void): () => void;
  /** Calls the listener after each folded change of standing; answers a function that stops this. */
  onStanding(listener: (change: StandingChanged) => void): () => void;
}

/** Reads reputations and standings from the log. */
export const reputation = defineService<Reputation>('reputation');
