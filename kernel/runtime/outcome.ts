import type { FailureOutcome } from '../error.ts';

/** Hands one call to a provider. */
export interface Dispatch {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Ends the adapter's work at the deadline. */
  readonly signal: AbortSignal;
  /** The provider-side key: the same for all attempts of a run at one provider. */
  readonly idempotency_key: string;
}

/** What is known of one attempt. */
export type Outcome =
  | { readonly outcome: 'accepted'; readonly outputs: Readonly<Record<string, unknown>> }
  | {
      readonly outcome: FailureOutcome;
      readonly phase?: string;
      /** Seconds. */
      readonly retry_after?: number;
      /** For the caller; no secret. */
      readonly message: string;
    };
