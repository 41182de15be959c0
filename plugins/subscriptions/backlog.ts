import { every, type Log } from '../../kernel/index.ts';
import type { Directory } from './directory.ts';
import type { SubscriptionReads } from './store.ts';

const everyMs = 2000;

/** Limits of the waiting callbacks. */
interface Bounding {
  readonly directory: Pick<Directory, 'all' | 'switchOff'>;
  readonly reads: Pick<SubscriptionReads, 'waiting'>;
  readonly log: Log;
  /** Callbacks of one subscription that may wait. */
  readonly most: number;
}

/**
 * Switches off subscriptions with too many waiting callbacks whose number still grows; answers a function that stops
 * this.
 */
export function boundBacklogs({ directory, reads, log, most }: Bounding): () => void {
  let before: ReadonlyMap<string, number> = new Map();
  const look = async (): Promise<void> => {
    const above = new Map<string, number>();
    const on = directory.all().filter(({ state }) => state !== 'off');
    const counts = await reads.waiting(on.map(({ subscription_id }) => subscription_id));
    for (const subscription of on) {
      const { subscription_id: id, failing_since } = subscription;
      const count = counts.get(id) ?? 0;
      if (count <= most) continue;
      // A resumed subscription stays on while its receiver works off the backlog. Callbacks from the time when it was
      // off do not count.
      if (count <= (before.get(id) ?? count)) {
        above.set(id, count);
        continue;
      }
      log.warn(
        { subscription_id: id, count },
        'a subscription was switched off, because too many callbacks are waiting',
      );
      await directory.switchOff(subscription, `more than ${most} callbacks are waiting`, failing_since);
    }
    before = above;
  };
  return every(everyMs, look, (err) => log.error({ err }, 'waiting callbacks could not be counted'));
}
