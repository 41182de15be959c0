import { after, createListeners, type Awaitable, type Log } from '../../../../kernel/index.ts';
import type { KeyState } from '../../keys/service/state.ts';

/** What the growth of the log needs; `grew` is called each time. */
interface Growing {
  readonly keys: Pick<KeyState, 'hasLog' | 'refresh'>;
  readonly log: Pick<Log, 'error'>;
  readonly grew: () => void;
}

const retryMs = 1000;

/**
 * Makes the function that is called after each commit to the log; it never rejects, because the commit has succeeded.
 * The first entry of a process opens its log, whose key is then known before the receipt is answered; a read that fails
 * is tried again in the background.
 */
export function createGrowth({ grew, keys, log }: Growing): { moved(): Awaitable<void>; stop(): void } {
  let stopRetrying: (() => void) | undefined;
  let stopped = false;
  const failed = (err: unknown): void => {
    log.error({ err }, 'the log key could not be read after the first entry of the log; the server tries again');
    if (!stopped) stopRetrying ??= after(retryMs, retry, failed);
  };
  const retry = (): Promise<void> => {
    stopRetrying = undefined;
    return keys.refresh();
  };
  return {
    moved: () => (keys.hasLog ? grew() : keys.refresh().catch(failed).then(grew)),
    stop() {
      stopped = true;
      stopRetrying?.();
    },
  };
}

/**
 * Makes what notifies listeners of growth: once for many changes, and never within the caller's own call; `failed` is called
 * with the error of a listener that throws.
 */
export function createAnnouncer(failed: (error: unknown) => void) {
  const listeners = createListeners(failed);
  let scheduled = false;
  const tell = (): void => {
    scheduled = false;
    listeners.tell();
  };
  return {
    grew(): void {
      if (scheduled) return;
      scheduled = true;
      setImmediate(tell);
    },
    listen: (listener: () => void) => listeners.add(listener),
  };
}
