import type { Attempt } from '../run.ts';

/** Says whether any provider may have taken what a run asked of it: no if none was reached, or each proves its absence. */
export function wasSent(attempts: readonly Pick<Attempt, 'outcome' | 'lookup'>[]): boolean {
  return attempts.some(
    ({ lookup, outcome }) => lookup !== 'absent' && outcome !== 'not_sent' && outcome !== 'throttled',
  );
}
