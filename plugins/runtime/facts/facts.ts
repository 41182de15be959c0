import type { Attempt, Mode, RunFailure, RunStatus, Standing } from './run.ts';
import type { Decision, Attestation, Health } from '../../../kernel/index.ts';
import type { PluginFact, UpstreamFacts } from '../../../kernel/runner.ts';

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
    readonly upstream?: UpstreamFacts;
    /** How the caller reached the program; absent: by the HTTP API. What a client says it is proves nothing. */
    readonly channel?: {
      readonly kind: string;
      readonly protocol?: string;
      readonly client?: { readonly name: string; readonly version?: string };
    };
  };
  /** Becomes `facts.policy`; messages only as salted commitments. */
  readonly decision: Decision;
  /** Canonical forms (RFC 8785) of what was accepted and answered; committed to, never shown. */
  readonly inputs: string;
  readonly outputs?: string;
  readonly standing: Standing;
  /** The caller asks for what opens the commitments to inputs and outputs. */
  readonly disclose?: true;
  /** The subscription that the caller names, to get a callback about the run; not part of the receipt. */
  readonly callback?: { readonly subscription_id: string };
  /** Why it did not complete, for the operator and the caller; kept sealed for a while, no part of the receipt. */
  readonly failure?: RunFailure;
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
  /** Becomes `facts.policy`; absent when no policy was evaluated (the platform settles a crash). */
  readonly decision?: Decision;
}

/** The resolution of a run whose outcome was unknown; it enters the chain of its Orbiset. */
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

/** Any fact that the runtime attests. */
export type RuntimeFact = RunFact | SwapFact | ResolutionFact;

/** Any fact: one of the runtime, or one whose kind a plugin declares. */
export type KnownFact = RuntimeFact | PluginFact;

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

/** The result of attesting a run: its receipt, and the opening when the fact asks for it. */
export interface AttestedRun extends Receipt {
  readonly opening?: Opening;
}
