/** A run as the API tells it. */
export interface Run {
  readonly run_id: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly principal: string;
  readonly status: string;
  readonly reason?: string;
  readonly mode: 'live' | 'sandbox';
  readonly provider?: string;
  readonly queued_at?: string;
  readonly run_at?: string;
  readonly position?: number;
  readonly started_at?: string;
  readonly finished_at?: string;
  readonly execution_ms?: number;
  readonly receipt_id?: string;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly resolution?: string;
  readonly attempts?: readonly Attempt[];
  readonly outputs?: unknown;
  readonly problem?: unknown;
}

/** A call of a provider. */
export interface Attempt {
  readonly provider: string;
  readonly adapter: string;
  readonly generation: number;
  readonly outcome: string;
  readonly phase?: string;
  readonly lookup?: string;
  readonly latency_ms: number;
}

/** All states of a run, with what each means. */
export const runStates = {
  queued: 'Waiting in the queue. No provider was called yet.',
  running: 'In progress.',
  completed: 'The provider accepted the call.',
  failed: 'The action was not done.',
  timed_out: 'The time limit passed before a provider responded. It had no effect, or is safe to retry.',
  indeterminate:
    'The outcome is unknown: a provider was called, but its response did not arrive. The call is not retried until an operator resolves the run.',
  cancelled: 'It was cancelled before a provider was called.',
  denied: 'A policy denied it. No provider was called.',
} as const;

// What the status says already.
const said: Readonly<Record<string, string>> = { denied: 'access_denied', indeterminate: 'outcome_unknown' };

/** Says why a run ended so, when its status does not say it. */
export const reasonOf = ({ status, reason }: Run): string | undefined =>
  reason === said[status] ? undefined : reason?.replaceAll('_', ' ');

/** Says when a run began, or was accepted. */
export const timeOf = ({ started_at, queued_at }: Run): string | undefined => started_at ?? queued_at;
