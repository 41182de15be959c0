import { providerKey } from './attempt.ts';
import type { AttemptTimer } from './attempt-timer.ts';
import type { Dispatch } from '../outcome/outcome.ts';
import type { Run } from './run-record.ts';

/** The dispatch that a generation gets; signal and key are made only for an adapter that uses them. */
export class ProviderCall implements Dispatch {
  readonly inputs: Dispatch['inputs'];
  readonly #run_id: string;
  readonly #provider: string;
  readonly #timer: AttemptTimer;

  /** `again`: an earlier call had the inputs, and its adapter may have changed them. */
  constructor(
    { inputs, inputs_text, run_id }: Pick<Run, 'inputs' | 'inputs_text' | 'run_id'>,
    provider: string,
    { timer, again }: { readonly timer: AttemptTimer; readonly again: boolean },
  ) {
    this.inputs = again ? (JSON.parse(inputs_text) as Dispatch['inputs']) : inputs;
    this.#run_id = run_id;
    this.#provider = provider;
    this.#timer = timer;
  }

  get signal(): AbortSignal {
    return this.#timer.signal;
  }

  get idempotency_key(): string {
    return providerKey(this.#run_id, this.#provider);
  }
}
