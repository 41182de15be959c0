import { after, every, operation, type PluginScope, type Store } from '../../../kernel/index.ts';
import observabilityStore from '../store.ts';
import type { Board } from './board.ts';

const glanceMs = 1000;
const soonMs = 50;
const tidyMs = 3_600_000;
/** Spans are kept longer than any view looks back. */
const keptMs = 100 * 86_400_000;

type WatchOptions = Pick<PluginScope<unknown, never>, 'clock' | 'log'> & {
  readonly board: Pick<Board, 'glance' | 'look'>;
  readonly store: Pick<Store, 'write'>;
};

/** Creates the timers that refresh the board every second and delete spans that are too old to be shown every hour. */
export function keepWatch({ board, store, clock, log }: WatchOptions) {
  let stops: readonly (() => void)[] = [];
  let pending: (() => void) | undefined;
  const failed = (err: unknown): void => log.error({ err }, 'the status could not be measured; the server tries again');
  const tidy = (): Promise<unknown> =>
    store.write([operation(observabilityStore, 'prune', { before: clock.now() - keptMs })]);
  const untidy = (err: unknown): void => log.warn({ err }, 'old spans could not be removed; the server tries again');
  return {
    start(): void {
      stops = [every(glanceMs, () => board.glance(), failed), every(tidyMs, tidy, untidy)];
    },
    /** Refreshes the board soon after a change; several changes share one refresh. */
    soon(): void {
      if (stops.length === 0) return;
      const look = (): void => {
        pending = undefined;
        board.look();
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
