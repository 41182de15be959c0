import { PlatformError, type HealthCheck } from '../../../kernel/index.ts';

const passing: readonly string[] = ['storage_unavailable', 'overloaded'];

/**
 * Says what a failure while following the log means for the ledger. If the store cannot be read or written, the folded
 * part stays valid, and the rest follows when the store answers.
 */
export function failureOf(error: unknown): ReturnType<HealthCheck> {
  return error instanceof PlatformError && passing.includes(error.code)
    ? { health: 'degraded', reason: 'the store does not answer; the ledger continues when it does' }
    : { health: 'down', reason: 'the ledger could not read the log to its end' };
}
