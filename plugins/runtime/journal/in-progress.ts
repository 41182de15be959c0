import { PlatformError } from '../../../kernel/index.ts';
import type { ProblemExtensions } from '../../../kernel/runner.ts';

/** Says to a caller that the work of its key goes on. */
export const firstRunning = 'the first request with this Idempotency-Key is still running; send it again later';

/** Makes the problem of a key whose work goes on. */
export function inProgress(subject: string): PlatformError {
  return new PlatformError('idempotency_in_progress', firstRunning, runOf(subject));
}

/** Names the run of a key, when its work is a run. */
export function runOf(subject: string): ProblemExtensions {
  return { retry_after: 1, ...(subject.startsWith('run_') ? { run_id: subject } : {}) };
}
