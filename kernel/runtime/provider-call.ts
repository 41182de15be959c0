import { providerKey } from './attempt.ts';
import type { Patience } from './deadline.ts';
import type { Dispatch } from './outcome.ts';
import type { Run } from './record.ts';

/** What a generation is handed: an adapter that asks for neither the signal nor the key costs neither. */
export class ProviderCall implements Dispatch {
  readonly inputs: Dispatch['inputs'];
  readonly #run_id: string;
  readonly #provider: string;
  readonly #patience: Patience;

  constructor({ inputs, run_id }: Pick<Run, 'inputs' | 'run_id'>, provider: string, patience: Patience) {
    this.inputs = inputs;
    this.#run_id = run_id;
    this.#provider = provider;
    this.#patience = patience;
  }

  get signal(): AbortSignal {
    return this.#patience.signal;
  }

  get idempotency_key(): string {
    return providerKey(this.#run_id, this.#provider);
  }
}
