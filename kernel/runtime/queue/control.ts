import type { RunControl } from '../dispatch/run-record.ts';
import type { Effect } from '../outcome/outcome.ts';
import type { Attempt } from '../run.ts';

/** Stops one run on request, as long as that is safe. */
export class Control implements RunControl {
  readonly #harmless: boolean;
  #begun: (() => void) | undefined;
  #stopped = false;
  #dispatched = false;
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

  /** Stops the run, and the call of one without effect; false: it was dispatched and may have its effect. */
  stop(): boolean {
    if (this.#dispatched && !this.#harmless) return false;
    this.#stopped = true;
    this.#abort?.();
    return true;
  }
}

// Outcomes of calls that had no effect.
const without: ReadonlySet<Attempt['outcome']> = new Set(['not_sent', 'throttled', 'provider_fault']);
