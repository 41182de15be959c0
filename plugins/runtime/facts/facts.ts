import {
  defineService,
  exactly,
  openingSchema,
  optional,
  type Answered,
  type Awaitable,
  type Decision,
  type Health,
} from '../../../kernel/index.ts';
import type { ApprovalState, NamedApproval } from './held.ts';
import type { MeteredFacts } from './metered-facts.ts';
import { providerReason, type RunFailure } from './run-failure.ts';
import type { PluginFact, UpstreamFacts } from '../../../kernel/runner.ts';
import type { FailureOutcome } from '../../../kernel/adapter.ts';

/** How runs end (the outcome table). */
export const runStatuses = ['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'] as const;

/** How a run ended. */
export type RunStatus = (typeof runStatuses)[number];

/** `sandbox` when nothing leaves the machine; fixed before any attempt. */
export type Mode = 'live' | 'sandbox';

const text = { type: 'string', minLength: 1 } as const;
const natural = { type: 'integer', minimum: 0 } as const;
const digest = { title: 'Digest', type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const;
const outcome = [
  'accepted',
  'invalid_outputs',
  'rejected',
  'provider_fault',
  'not_sent',
  'throttled',
  'unknown',
] as const satisfies readonly ('accepted' | 'invalid_outputs' | FailureOutcome)[];

/** Schema of an attempt; as receipts write it: one schema of the API for both. */
export const attemptSchema = exactly('Attempt', {
  provider: { ...text, description: 'Name of the provider' },
  adapter: { ...text, description: 'Name of the adapter' },
  generation: { ...natural, description: 'Number of the opening of a provider for the Orb' },
  config_digest: { ...digest, description: 'Digest of the configuration of the provider' },
  outcome: { type: 'string', enum: outcome, description: 'What is known of the attempt' },
  phase: optional({ ...text, description: 'Where it failed' }),
  reason: optional(providerReason),
  lookup: optional({ type: 'string', enum: ['absent', 'present'], description: 'What a later look-up found' }),
  latency_ms: { ...natural, description: 'How long it took, milliseconds' },
});

/** One call to a provider, as the receipt shows it. */
export type Attempt = Answered<typeof attemptSchema>;

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
export interface RunRow extends Pick<
  RunFact,
  'run_id' | 'tenant' | 'orbiset_id' | 'orb_id' | 'status' | 'mode' | 'started_at' | 'finished_at' | 'execution_ms'
> {
  readonly principal: string;
  /** Id of the caller's key; null: of a run of before it was recorded. */
  readonly key_id: string | null;
  readonly reason: string | null;
  readonly provider: string | null;
  readonly receipt_id: string;
  /** Id of the receipt that resolved the run, when its outcome was unknown. */
  readonly resolution: string | null;
  /** JSON: names of the providers that did not answer, which made its outcome unknown. */
  readonly silent: string | null;
}

/** A run that waits for its turn, or was taken from the queue and is under way. */
export interface OpenRunView extends Pick<RunRow, 'run_id' | 'principal' | 'orbiset_id' | 'orb_id' | 'mode'> {
  readonly status: 'queued' | 'held' | 'running';
  /** The approval that a held run waits for. */
  readonly approval?: ApprovalState;
}

/** The token of the port: `accept` calls the plugin that provides it. */
export const standing = defineService<StandingPort>('standing');

/** Finds the attempts of a run in its receipt; undefined when the receipt cannot be read. */
export type AttemptsPort = (receiptId: string) => Awaitable<readonly Attempt[] | undefined>;

/** The token of the port: the plugin that keeps receipts knows the attempts of a run. */
export const runAttempts = defineService<AttemptsPort>('run_attempts');

/** Finds why a run failed, while that is kept; undefined: it is not kept, or is erased. */
export type FailurePort = (run: Pick<RunRow, 'run_id' | 'receipt_id'>) => Awaitable<RunFailure | undefined>;

/** The token of the port: the plugin that keeps receipts keeps the reasons of failures. */
export const runFailure = defineService<FailurePort>('run_failure');

/** Verifies a stored receipt now. */
export type ReceiptCheck = (receiptId: string) => Awaitable<boolean>;

/** The token of the port: the plugin that keeps receipts says whether one verifies. Without one, none does. */
export const receiptCheck = defineService<ReceiptCheck>('receipt_check');

/** How a caller reached the program. */
export interface Channel {
  /** The protocol: `http` unless a plugin names another one. */
  readonly kind: string;
  /** Its revision. */
  readonly protocol?: string;
  /** The name by which the caller named the Orb. */
  readonly tool?: string;
  /** The client as the caller names it; not proven. Each text has at most 64 characters. */
  readonly client?: { readonly name: string; readonly version?: string };
}

/** What happened in one run, to be attested: wire names, in the receipt's own words. */
export interface RunFact {
  readonly kind: 'run';
  readonly tenant: string;
  /** Of the caller, for lists; no part of the receipt. */
  readonly key_id?: string;
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
  readonly facts: MeteredFacts & {
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
    /** What people were asked before. */
    readonly approval?: NamedApproval;
    readonly attempts: readonly Attempt[];
    readonly latency?: { readonly objective_ms: number };
    readonly data: { readonly classes: readonly string[] };
    readonly outcome: string;
    readonly upstream?: UpstreamFacts;
    /** Absent: by the HTTP API. */
    readonly channel?: Omit<Channel, 'tool'>;
  };
  /** Becomes `facts.policy`; messages only as salted commitments. */
  readonly decision: Decision;
  /** Canonical forms (RFC 8785) of what was accepted and answered; committed to, never shown. */
  readonly inputs: string;
  /** base64 of the salt of the commitment to the inputs, when people were asked about it before. */
  readonly inputs_salt?: string;
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
export interface ResolutionFact extends Pick<RunFact, 'tenant' | 'run_id' | 'orbiset_id' | 'orb_id' | 'mode'> {
  readonly kind: 'resolution';
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
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

const time = { type: 'string', format: 'date-time' } as const;

/** Schema of the summary of a receipt. */
export const receiptSummary = exactly('ReceiptSummary', {
  receipt_id: { type: 'string', pattern: '^rec_', description: 'Id of the receipt' },
  trust_score: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Trust score of the run, 0 to 100',
  },
  risk_level: {
    enum: ['low', 'medium', 'high', 'critical'],
    description: 'Risk of the run, from its effect and its score',
  },
  signature_valid: { type: 'boolean', description: 'Result of the verification, repeated at every read' },
  timestamp: { ...time, description: 'When the outcome was known' },
});

/** The summary of a run's receipt as callers see it. */
export type Receipt = Answered<typeof receiptSummary>;

/** The salts of a receipt's commitments, in base64: SHA-256 of salt ‖ canonical form is the commitment. */
export type Opening = Answered<typeof openingSchema>;

/** Schema of the answer to a completed run. */
export const executionResult = exactly('ExecutionResult', {
  run_id: { type: 'string', pattern: '^run_', description: 'Id of the run' },
  status: { const: 'completed', description: 'The run completed' },
  outputs: { type: 'object', description: "Fits the Orb's outputs_schema" },
  receipt: { ...receiptSummary, description: 'Summary of the receipt of the run' },
  execution_ms: { type: 'integer', minimum: 0, description: 'Duration in milliseconds' },
  opening: optional(openingSchema),
});

/** The answer to a completed run. */
export interface ExecutionResult extends Answered<typeof executionResult> {
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** The result of attesting a run: its receipt, and the opening when the fact asks for it. */
export interface AttestedRun extends Receipt {
  readonly opening?: Opening;
}
