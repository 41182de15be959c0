import { PlatformError, type HealthCheck } from '../../../kernel/index.ts';

const passing: readonly string[] = ['storage_unavailable', 'overloaded'];

/**
 * Says what a failure of following the log says about the ledger. A store that cannot be read or written now says nothing
 * about it: what was folded stays valid, and the rest follows once the store answers.
 */
export function failureOf(error: unknown): ReturnType<HealthCheck> {
  return error instanceof PlatformError && passing.includes(error.code)
    ? { health: 'degraded', reason: 'the store does not answer; the ledger continues when it does' }
    : { health: 'down', reason: 'the ledger could not read the log to its end' };
}
