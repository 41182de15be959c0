import type { Attempt } from './run.ts';

/**
 * Names the providers that may have done what a run asked of them and did not say so. A silence is settled only by a
 * look-up, or by the same provider's later refusal under the same key.
 */
export function silentProviders(attempts: readonly Pick<Attempt, 'provider' | 'outcome' | 'lookup'>[]): string[] {
  const silent = attempts.filter(
    ({ lookup, outcome, provider }, index) =>
      outcome === 'unknown' &&
      lookup === undefined &&
      !attempts.slice(index + 1).some((later) => later.provider === provider && later.outcome === 'rejected'),
  );
  return [...new Set(silent.map(({ provider }) => provider))];
}
