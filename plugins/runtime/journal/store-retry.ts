import { setTimeout as pause } from 'node:timers/promises';
import { PlatformError, type Log } from '../../../kernel/index.ts';

const retryMs = 1000;
const mostAtOnce = 4096;
const laterCodes: ReadonlySet<string> = new Set(['storage_unavailable', 'overloaded']);

/** Says whether the store may accept a write later that it refused with this error. */
export function mayBeTakenLater(error: unknown): error is PlatformError {
  return error instanceof PlatformError && laterCodes.has(error.code);
}

/** Says whether a write was refused for good by an operation of it, such as one of a budget that is used up. */
export function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code !== 'internal' && !laterCodes.has(error.code);
}

/** Retries writes that the store refused, once a second, until it accepts them or the platform closes. */
export class StoreRetry {
  readonly #log: Log;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Promise<boolean>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Does work that writes, until the store takes it. Resolves to false when it is left to the next start: the store refuses
   * it for good, too much waits already, or the platform closes. `failed`: what the log says of the first refusal,
   * and of the last one; thousands that wait must not fill the log of a full disk.
   */
  async until(work: () => Promise<unknown>, failed: string): Promise<boolean> {
    const done = this.#untilTaken(work, failed);
    this.#waiting.add(done);
    try {
      return await done;
    } finally {
      this.#waiting.delete(done);
    }
  }

  /** Does work that writes, and resolves after the first try; a refused write is retried in the background. */
  now(work: () => Promise<unknown>, failed: string): Promise<void> {
    return new Promise((resolve) => {
      void this.until(() => work().finally(resolve), failed);
    });
  }

  /** Lets everything that waits be tried once more, and resolves when it has been. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#waiting);
  }

  async #untilTaken(work: () => Promise<unknown>, failed: string): Promise<boolean> {
    const { signal } = this.#closing;
    const isTooMuch = this.#waiting.size >= mostAtOnce;
    for (let isFirst = true; ; isFirst = false) {
      const isLast = isTooMuch || signal.aborted;
      try {
        await work();
        return true;
      } catch (err) {
        const ends = isLast || !mayBeTakenLater(err);
        if (isFirst || ends) this.#log.error({ err }, failed);
        if (ends) return false;
      }
      await pause(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
