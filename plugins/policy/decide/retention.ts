import { every, firstIdAt, operation, eraseAll, type Clock, type Log, type Store } from '../../../kernel/index.ts';
import policyStore from '../store.ts';

const hour = 3_600_000;

/** How long and how many decisions are kept. */
export interface Retention {
  readonly days: number;
  readonly rows: number;
}

/** Deletes decisions that are older than `days` or beyond the newest `rows`; returns how many. */
export function forgetDecisions(store: Store, clock: Clock, { days, rows }: Retention): Promise<number> {
  const before = firstIdAt('dec', clock.now() - days * 24 * hour);
  return eraseAll(store, (most) => operation(policyStore, 'prune', { before, rows, most }));
}

/** Deletes old decisions once an hour; returns a function that stops it. */
export function keepDecisions(store: Store, clock: Clock, retention: Retention, log: Log): () => void {
  return every(
    hour,
    () => forgetDecisions(store, clock, retention),
    (error) => log.error({ err: error }, 'old decisions could not be deleted'),
  );
}
