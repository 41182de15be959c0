import { rejectedReasons, type FailureOutcome, type ProviderError } from '../../../kernel/adapter.ts';
import type { Failure } from '../../../kernel/runner.ts';

const outcomes: ReadonlySet<string> = new Set<FailureOutcome>([
  'rejected',
  'provider_fault',
  'not_sent',
  'throttled',
  'unknown',
]);
/** Longest text of an adapter that is taken; a longer one is cut. */
export const longestMessage = 1000;
const longestRetryAfter = 86_400;

/**
 * Reads the report of an adapter on a call that was not accepted; undefined when it names no known outcome. The other
 * members are cut to the lengths that a receipt and a header can hold: an adapter may pass on a vendor's text, and the
 * run must still end.
 */
export function failureOf({ outcome, message, phase, reason, ...rest }: ProviderError): Failure | undefined {
  if (!outcomes.has(outcome)) return undefined;
  const { remedy, retry_after } = rest;
  const waits = typeof retry_after === 'number' && retry_after >= 0;
  return {
    outcome,
    message: String(message).slice(0, longestMessage).toWellFormed(),
    ...(typeof remedy === 'string' ? { remedy: remedy.slice(0, longestMessage).toWellFormed() } : {}),
    ...(phase === undefined ? {} : { phase: isPhase(phase) ? phase : 'adapter' }),
    ...(reason !== undefined && rejectedReasons.includes(reason) ? { reason } : {}),
    ...(waits ? { retry_after: Math.min(retry_after, longestRetryAfter) } : {}),
  };
}

function isPhase(phase: unknown): boolean {
  return typeof phase === 'string' && /^[\w.-]{1,64}$/.test(phase);
}
