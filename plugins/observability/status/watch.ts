import { operation, type Clock, type Log, type Store } from '../../../kernel/index.ts';
import observabilityStore from '../store.ts';
import type { Board } from './board.ts';

/** Looks at the board in time. */
export interface Watch {
  /** Looks every second from now on. */
  start(): void;
  /** Something has changed: looks at once, but once for many changes. */
  soon(): void;
  stop(): void;
}

/** What a watch needs. */
export interface WatchOptions {
  readonly board: Pick<Board, 'glance' | 'look'>;
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly log: Log;
}

const glanceMs = 1000;
const soonMs = 50;
const tidyMs = 3_600_000;
/** Spans are kept for longer than anybody can look back. */
const keptMs = 100 * 86_400_000;

/** Creates a watch; it also forgets spans that are too old to be shown, every hour. */
export function keepWatch({ board, store, clock, log }: WatchOptions): Watch {
  let timers: readonly NodeJS.Timeout[] = [];
  let pending: NodeJS.Timeout | undefined;
  const tidy = (): void => {
    const before = clock.now() - keptMs;
    store
      .write([operation(observabilityStore, 'prune', { before })])
      .catch((err: unknown) => log.warn({ err }, 'old spans could not be removed; it is tried again'));
  };
  return {
    start() {
      timers = [setInterval(() => board.glance(), glanceMs), setInterval(tidy, tidyMs)];
      for (const timer of timers) timer.unref();
    },
    soon() {
      if (timers.length === 0) return;
      pending ??= setTimeout(() => {
        pending = undefined;
        board.look();
      }, soonMs).unref();
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
      timers = [];
      clearTimeout(pending);
    },
  };
}
