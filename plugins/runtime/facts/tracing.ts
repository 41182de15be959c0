import { defineService } from '../../../kernel/index.ts';
import type { UpstreamFacts } from '../../../kernel/runner.ts';
import type { Attempt, Channel } from './facts.ts';
import type { RunSettled } from './hooks.ts';
import type { Metered } from './metering.ts';

/** One call to a provider, as its trace knows it. */
export interface TracedCall {
  /** W3C traceparent that the call carries; made when it is first read. */
  readonly traceparent: string;
  /** When it began, milliseconds after its run was accepted. */
  readonly at: number;
}

/** The calls of one dispatch, for a trace. */
export interface TracedCalls {
  /** When the policy had decided, milliseconds after the run was accepted. */
  readonly decided: number;
  /** By the place of the attempt; undefined: its provider was not called. */
  readonly calls: readonly (TracedCall | undefined)[];
}

/** A run that has its receipt, for a trace: no inputs, no outputs. */
export interface TracedRun {
  readonly event: RunSettled;
  /** Milliseconds since the Unix epoch. */
  readonly accepted_at: number;
  /** When the policy had decided, milliseconds after the run was accepted; absent: nothing was sent. */
  readonly decided?: number | undefined;
  /** Code of the problem of a run that did not complete. */
  readonly code?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly attempts: readonly Attempt[];
  /** The calls of the last attempts, in the same order; undefined: the provider was not called. */
  readonly calls: readonly (TracedCall | undefined)[];
  readonly metered?: Metered | undefined;
  /** The settings of the provider list the model: otherwise the caller wrote its name. */
  readonly listed: boolean;
  readonly upstream?: UpstreamFacts | undefined;
}

/** Follows runs for traces. Without it, or when it is null, nothing is recorded for them. */
export interface TracingPort {
  /** Whether calls carry their traceparent. */
  readonly propagates: boolean;
  /** Makes the W3C traceparent of a call of a run. */
  callOf(run: { readonly run_id: string; readonly traceparent?: string | undefined }): string;
  /** Takes a run of so many attempts that has its receipt; the run does not wait for it. It is told when it is exported. */
  ended(event: RunSettled, attempts: number, tell: () => TracedRun): void;
}

/** The token of the port: the plugin that exports traces provides it; null: it exports none. */
export const tracing = defineService<TracingPort | null>('tracing');
