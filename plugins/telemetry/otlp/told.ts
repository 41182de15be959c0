import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../../kernel/index.ts';

const restMs = 5000;
const longestRestMs = 15_000;

/** Logs when exports begin to fail, and when they work again: not each of them. */
export class Told {
  readonly #kind: 'metrics' | 'traces';
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #awake = new AbortController();
  // How many exports failed in a row.
  #failed = 0;

  constructor(kind: 'metrics' | 'traces', log: Pick<Log, 'info' | 'warn'>) {
    this.#kind = kind;
    this.#log = log;
  }

  /** How long the next export rests, in milliseconds. */
  get rest(): number {
    return Math.min(restMs * Math.max(0, this.#failed - 1), longestRestMs);
  }

  /**
   * Waits longer with each failed export: to write one for a collector that is away costs as much as for one that is
   * there, and what waits meanwhile is kept.
   */
  async rested(): Promise<void> {
    const { rest } = this;
    if (rest > 0) await pause(rest, undefined, { signal: this.#awake.signal, ref: false }).catch(() => undefined);
  }

  /** Ends the rest: nothing waits for a collector that may be there again. */
  wake(): void {
    this.#awake.abort();
  }

  /** Waits for an export, and tells when it is the first that fails, or works, after others. */
  async about<T>(collector: string, sent: Promise<T>): Promise<T> {
    try {
      const answer = await sent;
      if (this.#failed > 0) this.#log.info({ collector }, `the collector takes ${this.#kind} again`);
      this.#failed = 0;
      return answer;
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown';
      if (this.#failed === 0)
        this.#log.warn(
          { collector, why },
          `the collector did not take ${this.#kind}; what waits is bounded, and the rest is dropped`,
        );
      this.#failed += 1;
      throw error;
    }
  }

  /** Tells that metrics could not even be written. */
  readonly failed = (err: unknown): void => this.#log.warn({ err }, 'the metrics could not be exported');
}
