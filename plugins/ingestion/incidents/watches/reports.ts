import { every } from '../../../../kernel/index.ts';

const retryMs = 5000;

/**
 * Records what a watch saw, the newest of each name, one after another; what could not be recorded is tried again.
 * Nothing is recorded before `start`. `record` resolves when it is committed, or known already.
 */
export function createReports<T>(record: (seen: T) => Promise<unknown>, failed: (err: unknown, name: string) => void) {
  const pending = new Map<string, T>();
  let running = Promise.resolve();
  let stopTimer: (() => void) | undefined;
  const settle = async (): Promise<void> => {
    for (const [name, seen] of pending)
      try {
        await record(seen);
        if (pending.get(name) === seen) pending.delete(name);
      } catch (err) {
        return failed(err, name);
      }
  };
  const run = (): void => {
    if (stopTimer !== undefined && pending.size > 0) running = running.then(settle);
  };
  return {
    note(name: string, seen: T): void {
      pending.set(name, seen);
      run();
    },
    /** Resolves when the pending reports are recorded, or could not be recorded for now. */
    settled: () => running,
    start(): void {
      stopTimer = every(retryMs, run, (err) => failed(err, ''));
      run();
    },
    /** Stops after the current work. */
    async stop(): Promise<void> {
      stopTimer?.();
      stopTimer = undefined;
      await running;
    },
  };
}
