import { every, firstIdAt, operation, type PluginScope } from '../../kernel/index.ts';
import subscriptionStore, { type SubscriptionReads } from './store.ts';

const dayMs = 86_400_000;
/** How long the body of an undelivered callback is kept. */
const bodyDays = 7;
const everyMs = 10_000;
const most = 500;

/** Options of the retention of callbacks. */
interface Keeping extends Pick<PluginScope<unknown, never>, 'store' | 'clock' | 'log'> {
  readonly reads: Pick<SubscriptionReads, 'oldest' | 'oldestBody'>;
  readonly days: number;
}

/**
 * Erases bodies after seven days, and deletes callbacks some days after they were made; answers a function that stops
 * this.
 */
export function keepCallbacks({ store, reads, clock, log, days }: Keeping): () => void {
  const look = async (): Promise<void> => {
    const before = clock.now() - bodyDays * dayMs;
    while (((await reads.oldestBody()) ?? Infinity) < before)
      await store.write([operation(subscriptionStore, 'erase', { before, most })]);
    const below = firstIdAt('evt', clock.now() - days * dayMs);
    while (((await reads.oldest()) ?? below) < below)
      await store.write([operation(subscriptionStore, 'prune', { below, most })]);
  };
  return every(everyMs, look, (err) => log.warn({ err }, 'old callbacks could not be deleted; the server tries again'));
}
