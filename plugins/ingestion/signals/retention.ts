import { every, operation, timestamp, type Clock, type Log, type Store } from '../../../kernel/index.ts';
import ingestionStore from '../store.ts';

const everyMs = 15 * 60_000;

/** Drops bodies and idle deliveries that are due, now and then; answers how to stop. */
export function keepTidy(store: Store, clock: Clock, log: Log): () => void {
  const tidy = async (): Promise<void> => {
    for (;;) {
      const [dropped] = await store.write([operation(ingestionStore, 'purge', { now: timestamp(clock.now()) })]);
      if (dropped < 200) return;
    }
  };
  return every(everyMs, tidy, (err) => log.warn({ err }, 'old deliveries could not be dropped'));
}
