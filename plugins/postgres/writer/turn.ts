import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { PlatformError, within } from '../../../kernel/engine.ts';

/** How long a write may take, however often it is tried, without the time in which the database is away. */
export class Patience {
  readonly #awayMs: () => number;
  #left: number;
  #since: number | undefined;

  /** `awayMs`: tells for how long the database was away so far. */
  constructor(ms: number, awayMs: () => number) {
    this.#left = ms;
    this.#awayMs = awayMs;
  }

  get isOver(): boolean {
    return this.#leftMs() <= 0;
  }

  /** Counts the time of work, to whose end it waits. */
  async spend<T>(work: () => Promise<T>): Promise<T> {
    this.#start();
    return work().finally(() => this.stop());
  }

  /**
   * Waits for work, but no longer than is left. Rejects with `storage_unavailable` when it takes longer. The time counts
   * on until `stop`.
   */
  async wait(work: Promise<void>): Promise<void> {
    this.#start();
    await within(this.#leftMs(), work, () => {
      throw tooLate();
    });
  }

  /** Ends the time that counts. */
  stop(): void {
    this.#left = this.#leftMs();
    this.#since = undefined;
  }

  #start(): void {
    this.#since ??= performance.now() - this.#awayMs();
  }

  #leftMs(): number {
    return this.#since === undefined ? this.#left : this.#left - (performance.now() - this.#awayMs() - this.#since);
  }
}

/** Makes the error of a write whose operations take too long. */
export function tooLate(): PlatformError {
  return new PlatformError('storage_unavailable', 'the write took too long; send the request again', {
    retry_after: 1,
  });
}

const turns = new AsyncLocalStorage<object>();

/**
 * Whose turn it is to use the connection. Work that was given up, and goes on where it waited, has had its turn: what it
 * still does concerns no transaction.
 */
export class Turns {
  #now: object | undefined;

  /** Does work in a turn of its own. */
  run<T>(work: () => T): T {
    this.#now = {};
    return turns.run(this.#now, work);
  }

  /** Ends the turn. */
  end(): void {
    this.#now = undefined;
  }

  /** Whether the caller is work that was given up. */
  get isOver(): boolean {
    const own = turns.getStore();
    return own !== undefined && own !== this.#now;
  }
}

/** The answer of a claim, and what is made of it by `then`. An operation that awaits the answer returns another promise. */
export class Answering<T> extends Promise<T> {}

/** Makes the answer of a claim of a promise. */
export function answering<T>(promise: Promise<T>): Answering<T> {
  return new Answering((resolve) => resolve(promise));
}

/** Says whether work succeeds without waiting. */
export async function hasSucceeded(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(isSo, isNot), turnOfLoop(false)]);
}

const isSo = (): boolean => true;
const isNot = (): boolean => false;
