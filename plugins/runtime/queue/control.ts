import type { RunControl } from '../dispatch/run-record.ts';
import type { Attempt } from '../facts/run.ts';
import type { Effect } from '../../../kernel/runner.ts';

/** Stops one run on request, as long as that is safe. */
export class Control implements RunControl {
  readonly #harmless: boolean;
  #begun: (() => void) | undefined;
  #stopped = false;
  #dispatched = false;
  #left = false;
  #abort: (() => void) | undefined;

  /** `begun` is called before the first call of a run without effect; others have an intent by then. */
  constructor(effect: Effect | undefined, begun?: () => void) {
    this.#harmless = effect === 'none';
    this.#begun = this.#harmless ? begun : undefined;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  begin(abort: () => void): void {
    this.#begun?.();
    this.#begun = undefined;
    this.#dispatched = true;
    this.#abort = abort;
  }

  end(outcome: Attempt['outcome']): void {
    this.#abort = undefined;
    if (without.has(outcome)) this.#dispatched = false;
  }

  /** Lets the run go back into the queue, where it cannot be stopped by this any more; false: it was stopped before. */
  leave(): boolean {
    this.#left = !this.#stopped;
    return this.#left;
  }

  /**
   * Stops the run, and the call of one without effect. `dispatched`: it may have its effect. `left`: it is on its way
   * back into the queue.
   */
  stop(): 'stopped' | 'dispatched' | 'left' {
    if (this.#left) return 'left';
    if (this.#dispatched && !this.#harmless) return 'dispatched';
    this.#stopped = true;
    this.#abort?.();
    return 'stopped';
  }
}

// Outcomes of calls that had no effect.
const without: ReadonlySet<Attempt['outcome']> = new Set(['not_sent', 'throttled', 'provider_fault']);
