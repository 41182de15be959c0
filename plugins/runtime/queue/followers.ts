import { type Awaitable, every } from '../../../kernel/index.ts';

/** What ends a wait before its time: the client went away, or the server drains. */
export type Ends = readonly AbortSignal[];

const lookMs = 1000;

/** The callers that wait for the end of a run. */
export class Followers {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #hasEnded: (runId: string) => Awaitable<boolean>;

  constructor(hasEnded: (runId: string) => Awaitable<boolean>) {
    this.#hasEnded = hasEnded;
  }

  /** Tells that a run has ended. */
  tell(runId: string): void {
    for (const go of this.#waiting.get(runId) ?? []) go();
  }

  /** Waits until a run has ended, at most `ms`. */
  async wait(runId: string, ms: number, ends: Ends): Promise<void> {
    if (ms <= 0 || ends.some(({ aborted }) => aborted)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = this.#waiting.get(runId) ?? new Set();
    // Told from before the look: the run may end while the store answers.
    this.#waiting.set(runId, all.add(resolve));
    const look = async (): Promise<void> => void ((await this.#hasEnded(runId)) && resolve());
    const end = (): void => resolve();
    for (const signal of ends) signal.addEventListener('abort', end);
    const timer = setTimeout(resolve, ms);
    // Another process may have ended it.
    const stop = every(lookMs, look, () => resolve());
    try {
      await look();
      await promise;
    } finally {
      clearTimeout(timer);
      stop();
      // Some of the signals live as long as the process.
      for (const signal of ends) signal.removeEventListener('abort', end);
      all.delete(resolve);
      if (all.size === 0) this.#waiting.delete(runId);
    }
  }
}
