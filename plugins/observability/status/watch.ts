import { after, every, operation, type Clock, type Log, type Store } from '../../../kernel/index.ts';
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
  let stops: readonly (() => void)[] = [];
  let pending: (() => void) | undefined;
  const failed = (err: unknown): void => log.error({ err }, 'the status could not be measured; the server tries again');
  const tidy = (): Promise<unknown> =>
    store.write([operation(observabilityStore, 'prune', { before: clock.now() - keptMs })]);
  const untidy = (err: unknown): void => log.warn({ err }, 'old spans could not be removed; the server tries again');
  return {
    start() {
      stops = [every(glanceMs, () => board.glance(), failed), every(tidyMs, tidy, untidy)];
    },
    soon() {
      if (stops.length === 0) return;
      const look = (): void => {
        pending = undefined;
        board.look();
      };
      pending ??= after(soonMs, look, failed);
    },
    stop() {
      for (const stop of stops) stop();
      stops = [];
      pending?.();
    },
  };
}
