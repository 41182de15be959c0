import type { Attempt } from '../facts/facts.ts';

/** The result of one call at a provider, as far as missing answers are concerned. */
export type Told = Pick<Attempt, 'provider' | 'outcome'> & { readonly lookup?: Attempt['lookup'] | undefined };

/**
 * Finds the calls that may have had their effect but have no answer, in order. Such a call is settled only by a
 * look-up, or by the same provider's later refusal under the same key.
 */
export function unansweredAttempts<Call>(calls: readonly Call[], toldBy: (call: Call) => Told): Call[] {
  const told = calls.map(toldBy);
  return calls.filter((_, index) => {
    const { lookup, outcome, provider } = told[index] as Told;
    if (outcome !== 'unknown' || lookup !== undefined) return false;
    return !told.slice(index + 1).some((later) => later.provider === provider && later.outcome === 'rejected');
  });
}

/** Names the providers of unanswered attempts, each once. */
export function unansweredProviders(attempts: readonly Told[]): string[] {
  return [...new Set(unansweredAttempts(attempts, (attempt) => attempt).map(({ provider }) => provider))];
}

/**
 * Says whether any provider may have accepted a run's call: false if none was reached, or each look-up proves its
 * absence.
 */
export function wasSent(attempts: readonly Omit<Told, 'provider'>[]): boolean {
  return attempts.some(
    ({ lookup, outcome }) => lookup !== 'absent' && outcome !== 'not_sent' && outcome !== 'throttled',
  );
}
