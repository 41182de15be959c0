import { defineService, type Awaitable } from '../../../kernel/index.ts';
import type { FailureOutcome } from '../../../kernel/adapter.ts';

/** How a run ended (the outcome table). */
export type RunStatus = 'completed' | 'failed' | 'timed_out' | 'indeterminate' | 'cancelled' | 'denied';

/** `sandbox` when nothing leaves the machine; fixed before any attempt. */
export type Mode = 'live' | 'sandbox';

/** One call to a provider, as the receipt shows it. */
export interface Attempt {
  readonly provider: string;
  readonly adapter: string;
  readonly generation: number;
  /** `sha256:<hex>` of the configuration with its secret references. */
  readonly config_digest: string;
  readonly outcome: 'accepted' | 'invalid_outputs' | FailureOutcome;
  readonly phase?: string;
  readonly lookup?: 'absent' | 'present';
  readonly latency_ms: number;
}

/** The ledger's data on (Orb, principal) when the run is accepted; frozen into the run. */
export interface Standing {
  readonly tier: 'none' | 'bronze' | 'silver' | 'gold' | 'platinum';
  readonly state: 'active' | 'suspended';
  readonly score: number | null;
  /** The manifest's signature was verified against its namespace. */
  readonly signed: boolean;
  readonly is_self: boolean;
  /** 64 hex: counts callers without naming them. */
  readonly caller_ref?: string;
}

/** The port `standing`, called with the principal and its tenant; it answers from memory. The default has no data. */
export type StandingPort = (orbId: string, principal: string, tenant: string) => Standing;

/** The standing of a run when no plugin provides one. */
export const unknownStanding: Standing = Object.freeze({
  tier: 'none',
  state: 'active',
  score: null,
  signed: false,
  is_self: false,
});

/** The row of a run in lists. */
export interface RunRow {
  readonly run_id: string;
  readonly tenant: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly principal: string;
  readonly status: RunStatus;
  readonly reason: string | null;
  readonly mode: Mode;
  readonly provider: string | null;
  readonly started_at: string;
  readonly finished_at: string;
  readonly execution_ms: number;
  readonly receipt_id: string;
  /** Id of the receipt that resolved the run, when its outcome was unknown. */
  readonly resolution: string | null;
  /** JSON: names of the providers that did not answer, which made its outcome unknown. */
  readonly silent: string | null;
}

/** A run that waits for its turn, or was taken from the queue and is under way. */
export interface OpenRunView {
  readonly run_id: string;
  readonly status: 'queued' | 'running';
  readonly principal: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly mode: Mode;
}

/** The token of the port: `accept` calls the plugin that provides it. */
export const standing = defineService<StandingPort>('standing');

/** Finds the attempts of a run in its receipt; undefined when the receipt cannot be read. */
export type AttemptsPort = (receiptId: string) => Awaitable<readonly Attempt[] | undefined>;

/** The token of the port: the plugin that keeps receipts knows the attempts of a run. */
export const runAttempts = defineService<AttemptsPort>('run_attempts');

/** Why a run did not complete: the code of its problem, and what the adapter said. It holds no secret. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
}

/** Finds why a run failed, while that is kept; undefined: it is not kept, or is erased. */
export type FailurePort = (run: Pick<RunRow, 'run_id' | 'receipt_id'>) => Awaitable<RunFailure | undefined>;

/** The token of the port: the plugin that keeps receipts keeps the reasons of failures. */
export const runFailure = defineService<FailurePort>('run_failure');

/** Verifies a stored receipt now. */
export type ReceiptCheck = (receiptId: string) => Awaitable<boolean>;

/** The token of the port: the plugin that keeps receipts says whether one verifies. Without one, none does. */
export const receiptCheck = defineService<ReceiptCheck>('receipt_check');
