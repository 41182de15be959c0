import type { Log } from '../../../kernel/index.ts';

/** Calls listeners; a failing listener does not affect the others. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #log: Pick<Log, 'error'>;

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log;
  }

  /** Adds a listener; answers a function that removes it. */
  add(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls all listeners; logs a failure and continues with the next. */
  tell(value: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(value);
      } catch (error) {
        this.#log.error({ err: error }, 'a listener of the ledger failed');
      }
    }
  }
}
