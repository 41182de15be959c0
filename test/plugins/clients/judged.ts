import type { Outcome } from '../../../plugins/clients/typescript/src/surface.ts';

/** A call whose effects were counted. */
export interface Call {
  readonly token: string;
  readonly outcome: Outcome;
}

/** Lists what is wrong with outcomes: an effect twice, or an outcome that says something else than what was done. */
export function faultsOf(calls: readonly Call[], effects: ReadonlyMap<string, number>): string[] {
  return calls.flatMap(({ outcome, token }) => {
    const count = effects.get(token) ?? 0;
    const about = `${token}: ${outcome.kind} ${'code' in outcome ? outcome.code : ''}, ${count} effects`;
    if (count > 1) return [`twice: ${about}`];
    switch (outcome.kind) {
      case 'completed':
        return count === 1 && outcome.verified !== undefined ? [] : [`false: ${about}`];
      case 'failed':
        return count === (outcome.acted ? 1 : 0) ? [] : [`false: ${about}`];
      case 'denied':
      case 'rejected':
      case 'unreachable':
        return count === 0 ? [] : [`false: ${about}`];
      case 'unverified':
        // It was done; only its receipt could not be read in time.
        return outcome.check === 'receipt' && count === 1 ? [] : [`false: ${about} ${outcome.check}`];
      case 'held':
      case 'unknown':
        return [];
    }
  });
}

/** Counts outcomes by their kind. */
export function kindsOf(calls: readonly Call[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { outcome } of calls) counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
  return counts;
}
