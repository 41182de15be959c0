import type { Decision } from './access.ts';
import type { Health } from './health.ts';
import type { Attempt, Mode, RunStatus, Standing } from './runtime/run.ts';
import type { Operation } from './store/contract.ts';

/** What happened in one run, to be attested: wire names, in the receipt's own words. */
export interface RunFact {
  readonly kind: 'run';
  readonly tenant: string;
  readonly run_id: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly mode: Mode;
  /** RFC 3339 UTC, three decimals. */
  readonly started_at: string;
  readonly finished_at: string;
  readonly execution_ms: number;
  readonly status: RunStatus;
  /** Absent iff completed. */
  readonly reason?: string;
  readonly facts: {
    readonly action: {
      readonly class: string;
      readonly effect: string;
      readonly delivery?: 'at_least_once';
      readonly caller_deadline?: boolean;
    };
    readonly orb: {
      readonly manifest_digest: string;
      readonly manifest_signed: boolean;
      readonly tier: string;
      readonly state: string;
    };
    readonly principal: string;
    readonly schema: {
      readonly inputs: 'valid' | 'absent';
      readonly outputs: 'valid' | 'invalid' | 'absent' | 'unchecked';
    };
    readonly provider?: {
      readonly name: string;
      readonly generation: number;
      readonly health: Health;
      readonly swap_id?: string;
    };
    readonly attempts: readonly Attempt[];
    readonly latency?: { readonly objective_ms: number };
    readonly data: { readonly classes: readonly string[] };
    readonly outcome: string;
  };
  /** Becomes `facts.policy`; messages only as salted commitments. */
  readonly decision: Decision;
  /** Canonical forms (RFC 8785) of what was accepted and answered; committed to, never shown. */
  readonly inputs: string;
  readonly outputs?: string;
  readonly standing: Standing;
  /** The caller asks for what opens the commitments to inputs and outputs. */
  readonly disclose?: true;
  /** How long inputs and outputs are kept with their salts; 0: not at all. */
  readonly retention_days: { readonly inputs: number; readonly outputs: number };
}

/** A provider was changed for an Orb, or the change failed; the installation's own fact. */
export interface SwapFact {
  readonly kind: 'swap';
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
  readonly swap_id: string;
  readonly orb_id: string;
  readonly facts: {
    readonly from?: string;
    readonly from_generation?: number;
    readonly to: string;
    readonly generation: number;
    readonly adapter: string;
    readonly config_digest: string;
    readonly state: 'draining' | 'completed' | 'failed';
    readonly rolls_back?: string;
    readonly reason?: string;
    /** Absent: the platform itself. */
    readonly principal?: string;
    readonly started_at: string;
    readonly switched_at?: string;
  };
  /** Becomes `facts.policy`; absent when nobody was asked (the platform settles a crash). */
  readonly decision?: Decision;
}

/** What became of a run whose outcome was unknown; enters the chain of its Orbiset. */
export interface ResolutionFact {
  readonly kind: 'resolution';
  readonly tenant: string;
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
  readonly run_id: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly mode: Mode;
  readonly facts: {
    readonly outcome: 'sent' | 'not_sent';
    readonly status: 'completed' | 'failed';
    readonly by: 'operator' | 'lookup';
    /** Absent: the platform itself. */
    readonly principal?: string;
  };
  /** Committed to, never shown. */
  readonly note?: string;
}

/** The whole state of an incident after one of its changes; the installation's own fact. */
export interface IncidentFact {
  readonly kind: 'incident';
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
  /** `inc_<ulid>` */
  readonly incident_id: string;
  readonly facts: {
    readonly change: 'opened' | 'changed' | 'retracted';
    /** 1, 2, …: the highest wins in any order. */
    readonly change_number: number;
    readonly state: 'open' | 'acknowledged' | 'resolved';
    readonly severity: 'critical' | 'high' | 'warning' | 'info';
    readonly scope: readonly { readonly kind: 'component' | 'provider' | 'orb'; readonly id: string }[];
    readonly starts_at: string;
    readonly ends_at?: string;
    /** Those that this change adds; none: own measurement, or an operator. */
    readonly deliveries: readonly {
      readonly delivery_id: string;
      readonly source_id: string;
      /** `sha256:<hex>` of the raw body. */
      readonly digest: string;
      readonly auth_strength: 'strong' | 'shared_secret' | 'url_token' | 'none';
    }[];
    /** Absent: the platform itself. */
    readonly principal?: string;
    /** Required of a retraction and of a person's resolution; `integrity`: a receipt that does not verify. */
    readonly reason?: string;
    /** The receipt that failed, when the reason is `integrity`. */
    readonly receipt_id?: string;
  };
}

/** A change of an Orb's standing, or the snapshot of a day; the installation's own fact. */
export interface StandingFact {
  readonly kind: 'standing';
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
  /** Absent of a snapshot only. */
  readonly orb_id?: string;
  readonly facts:
    | {
        readonly change: 'suspended' | 'lifted' | 'published' | 'deprecated' | 'yanked' | 'removed';
        /** Required but for `published`. */
        readonly reason?: string;
        /** Absent: the platform itself. */
        readonly principal?: string;
        readonly incident_id?: string;
        readonly manifest_digest?: string;
        readonly manifest_signed?: boolean;
      }
    | {
        readonly change: 'snapshot';
        /** `YYYY-MM-DD` */
        readonly day: string;
        readonly logs: readonly { readonly origin: string; readonly tree_size: number; readonly root_hash: string }[];
        readonly profile: 'single-org' | 'multi-tenant';
        readonly scoring_policy: { readonly id: string; readonly digest: string };
        /** `sha256:<hex>` of the snapshot. */
        readonly digest: string;
      };
  /** Becomes `facts.policy`, of what was published. */
  readonly decision?: Decision;
}

/** A namespace was granted or revoked; belongs to its owner's tenant. */
export interface NamespaceFact {
  readonly kind: 'namespace';
  readonly tenant: string;
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
  readonly namespace: string;
  readonly facts: {
    readonly change: 'granted' | 'revoked';
    readonly owner: { readonly tenant: string; readonly principal?: string };
    /** Verifies the manifests of the namespace. */
    readonly manifest_key?: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
    readonly reason?: string;
    /** Absent: the platform itself. */
    readonly principal?: string;
  };
}

/** Any fact that is attested. */
export type AnyFact = RunFact | SwapFact | ResolutionFact | IncidentFact | StandingFact | NamespaceFact;

/** One fact and what must commit with its receipt. */
export interface Fact<F extends AnyFact = AnyFact> {
  readonly fact: F;
  /**
   * Writes that commit with the receipt or not at all, e.g. the run's row. They know the receipt's id and, of a run, its
   * summary without the verdict.
   */
  readonly operations: (receiptId: string, summary?: Omit<AttestedRun, 'signature_valid'>) => readonly Operation[];
}

/** What every attested fact answers. */
export interface Attestation {
  /** `rec_<ulid>` */
  readonly receipt_id: string;
  /** Verified, not assumed. */
  readonly signature_valid: boolean;
  /** RFC 3339 UTC: when the run finished, or when the fact happened. */
  readonly timestamp: string;
}

/** The summary of a run's receipt as callers see it. */
export interface Receipt extends Attestation {
  /** 0–100 */
  readonly trust_score: number;
  readonly risk_level: 'low' | 'medium' | 'high' | 'critical';
}

/** The salts of a receipt's commitments, in base64: SHA-256 of salt ‖ canonical form is the commitment. */
export interface Opening {
  readonly inputs_salt: string;
  /** Absent when the run has no outputs. */
  readonly outputs_salt?: string;
}

/** What attesting a run answers: its receipt, and the opening when the fact asks for it. */
export interface AttestedRun extends Receipt {
  readonly opening?: Opening;
}

/** What attesting a fact answers: a run's receipt has a score. */
export type AttestedAs<F extends Fact> = F extends Fact<RunFact> ? AttestedRun : Attestation;
