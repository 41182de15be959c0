import type { RuntimeScope } from '../facts/scope.ts';
import runtimeStore from '../store.ts';
import { timestamp, every, type Held, operation, eraseAll } from '../../../kernel/index.ts';

/** How long a client can resume its stream, ms. */
export const eventsKeptMs = 7 * 86_400_000;

const hourMs = 3_600_000;

/**
 * Deletes recorded events that can no longer be requested, once an hour, on one node; the returned function stops this.
 */
export function forgetEvents({ store, clock, log }: Pick<RuntimeScope, 'clock' | 'log' | 'store'>): Held['stop'] {
  const forget = (): Promise<number> => {
    // A client that resumed at the last moment still reads.
    const before = timestamp(clock.now() - eventsKeptMs - hourMs);
    return eraseAll(store, (most) => operation(runtimeStore, 'forgetEvents', { before, most }));
  };
  const failed = (err: unknown): void => log.warn({ err }, 'old events could not be deleted; the server tries again');
  return store.peers.whenHeld('housekeeping', () => every(hourMs, forget, failed)).stop;
}
