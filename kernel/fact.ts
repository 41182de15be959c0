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
      readonly caller_deadline?: true;
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
  /** Committed to, never shown. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly standing: Standing;
  /** How long inputs and outputs are kept with their salts; 0: not at all. */
  readonly retention_days: { readonly inputs: number; readonly outputs: number };
}

/** One fact and what must commit with its receipt. */
export interface Fact {
  readonly fact: RunFact;
  /** Writes that commit with the receipt or not at all, e.g. the run's row; `receipt_id` is known to them. */
  readonly operations: (receiptId: string) => readonly Operation[];
}

/** The summary of a receipt as callers see it. */
export interface Receipt {
  /** `rec_<ulid>` */
  readonly receipt_id: string;
  /** 0–100 */
  readonly trust_score: number;
  readonly risk_level: 'low' | 'medium' | 'high' | 'critical';
  /** Verified, not assumed. */
  readonly signature_valid: boolean;
  /** RFC 3339 UTC. */
  readonly timestamp: string;
}
