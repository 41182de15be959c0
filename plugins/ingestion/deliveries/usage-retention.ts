import { every, operation, eraseAll, timestamp, type Clock, type Log, type Store } from '../../../kernel/index.ts';
import { deliveryPart } from './store.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Deletes the usage of days that are more than `days` days ago, in UTC; returns how many rows. */
export function forgetUsage(store: Pick<Store, 'write'>, clock: Clock, days: number): Promise<number> {
  const before = timestamp(clock.now() - days * dayMs).slice(0, 10);
  return eraseAll(store, (most) => operation(deliveryPart, 'pruneUsage', { before, most }));
}

/** Deletes old usage once an hour; returns a function that stops it. Without `days` usage is kept for ever. */
export function keepUsage(store: Pick<Store, 'write'>, clock: Clock, days: number | undefined, log: Log): () => void {
  if (days === undefined) return () => undefined;
  return every(
    hourMs,
    () => forgetUsage(store, clock, days),
    (err) => log.warn({ err }, 'the server could not delete old usage counts; it tries again in an hour'),
  );
}
