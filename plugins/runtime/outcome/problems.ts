import { defineProblems, type ProblemCode as KernelProblem } from '../../../kernel/index.ts';

/** Problems of Orbs, Orbisets, runs and swaps; other plugins name them by their code. */
export const problems = defineProblems({
  access_denied: { status: 403, title: 'The policy denied the action' },
  approval_required: { status: 403, title: 'A person must approve the run' },
  approval_refused: { status: 403, title: 'A person refused the run' },
  approval_expired: { status: 403, title: 'Nobody approved the run in time' },
  approval_backlog: { status: 403, title: 'Too many runs wait for the same people', retryable: true },
  orb_not_found: { status: 404, title: 'There is no such Orb' },
  orbiset_not_found: { status: 404, title: 'There is no such Orbiset' },
  run_not_found: { status: 404, title: 'There is no such run' },
  swap_not_found: { status: 404, title: 'There is no such swap' },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with the Idempotency-Key is still running',
    retryable: true,
  },
  resolution_conflict: { status: 409, title: 'The run cannot be resolved with this outcome' },
  swap_in_progress: { status: 409, title: 'Another swap of the Orb is in progress', retryable: true },
  defined_in_file: { status: 409, title: 'A file defines it' },
  provider_in_use: { status: 409, title: 'The provider serves an Orb' },
  manifest_used: { status: 409, title: 'The manifest is in use and can no longer change' },
  manifest_limit: { status: 409, title: 'The limit of stored manifests is reached' },
  orbiset_exists: { status: 409, title: 'The id of the Orbiset is already used' },
  runs_open: { status: 409, title: 'Runs that use it are still open', retryable: true },
  run_settled: { status: 409, title: 'The same call was already settled as done' },
  run_cancelled: { status: 409, title: 'The run was cancelled before dispatch', retryable: true },
  run_dispatched: { status: 409, title: 'The run was dispatched and can no longer be cancelled' },
  caller_gone: { status: 409, title: 'The caller left before the answer was whole' },
  run_ended: { status: 409, title: 'The run has ended' },
  invalid_inputs: { status: 422, title: "The inputs do not fit the Orb's schema" },
  provider_rejected: { status: 422, title: 'The provider rejected the request' },
  idempotency_mismatch: {
    status: 422,
    title: 'The Idempotency-Key was used with another body',
  },
  invalid_configuration: { status: 422, title: 'The configuration is invalid' },
  queue_full: { status: 429, title: 'Too many runs are waiting', retryable: true },
  provider_failed: { status: 502, title: 'The provider failed', retryable: true },
  invalid_outputs: { status: 502, title: "The provider's outputs break the Orb's schema" },
  stream_interrupted: { status: 502, title: 'The answer ended before it was whole' },
  definition_changed: {
    status: 502,
    title: "The provider's tool no longer matches the manifest of the Orb",
  },
  probe_failed: {
    status: 502,
    title: 'The new provider could not be opened or failed its health check',
    retryable: true,
  },
  provider_unavailable: { status: 503, title: 'No provider could be reached', retryable: true },
  no_provider_allowed: { status: 503, title: 'No provider is allowed to serve the run' },
  run_timed_out: { status: 504, title: 'The run exceeded its deadline', retryable: true },
  outcome_unknown: { status: 504, title: 'The outcome of the run is unknown' },
});

/** The code of a problem that a run can end with. */
export type ProblemCode = KernelProblem | keyof typeof problems;
