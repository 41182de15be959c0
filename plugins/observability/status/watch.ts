import {
  after,
  every,
  operation,
  eraseAll,
  type Awaitable,
  type Clock,
  type PluginScope,
  type Store,
} from '../../../kernel/index.ts';
import { statusPart } from './store.ts';
import type { Board } from './board.ts';

const glanceMs = 1000;
const soonMs = 50;
const tidyMs = 3_600_000;
const dayMs = 86_400_000;

type WatchOptions = Pick<PluginScope<unknown, never>, 'clock' | 'log'> & {
  readonly board: Pick<Board, 'glance' | 'look'>;
  readonly store: Pick<Store, 'write'>;
  readonly keptDays: number;
  /** Whether this process deletes old spans: one of several does. */
  readonly tidies: () => boolean;
};

/** Deletes spans that ended more than `days` days ago; returns how many. */
function forgetSpans(store: Pick<Store, 'write'>, clock: Clock, days: number): Promise<number> {
  const before = clock.now() - days * dayMs;
  return eraseAll(store, (most) => operation(statusPart, 'prune', { before, most }));
}

/** Creates the timers that refresh the board every second and delete old spans every hour. */
export function keepWatch({ board, store, clock, log, keptDays, tidies }: WatchOptions) {
  let stops: readonly (() => void)[] = [];
  let pending: (() => void) | undefined;
  const failed = (err: unknown): void => log.error({ err }, 'the status could not be measured; the server tries again');
  const tidy = (): unknown => (tidies() ? forgetSpans(store, clock, keptDays) : undefined);
  const untidy = (err: unknown): void =>
    log.warn({ err }, 'old status periods could not be deleted; the server tries again');
  return {
    start(): void {
      stops = [every(glanceMs, () => board.glance(), failed), every(tidyMs, tidy, untidy)];
    },
    /** Refreshes the board soon after a change; several changes share one refresh. */
    soon(): void {
      if (stops.length === 0) return;
      const look = (): Awaitable<void> => {
        pending = undefined;
        return board.look();
      };
      pending ??= after(soonMs, look, failed);
    },
    stop(): void {
      for (const stop of stops) stop();
      stops = [];
      pending?.();
    },
  };
}
