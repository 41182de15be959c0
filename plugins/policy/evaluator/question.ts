import type { WasmModule } from '../decide/web-assembly.ts';
import type { Evaluated } from './evaluate.ts';

/** One revision, ready to be sent to a thread. */
export interface Loadable {
  readonly revision: string;
  readonly module: WasmModule;
  /** JSON text of the data document. */
  readonly data: string;
}

/**
 * What one question came to. `policy_timeout`: it ran longer than the deadline; `policy_overloaded`: it was not its turn in
 * time, in the queue or on the machine.
 */
export type PoolAnswer =
  Evaluated | { readonly fault: 'policy_timeout' | 'policy_overloaded'; readonly detail: string };

/** What a thread is asked of a loaded revision; `input`: JSON text, `time_ns`: its frozen time. */
export interface Asked {
  readonly revision: string;
  /** Its name, or its number in the module. */
  readonly entrypoint: string | number;
  readonly input: string | undefined;
  readonly time_ns: string;
}

/** One question to a loaded revision. */
export interface Question extends Asked {
  readonly principal: string;
  /** Asked when its turn comes: an answer ends it without an evaluation. */
  readonly refused?: () => PoolAnswer | undefined;
}

/** A question with the one who waits for it. */
export interface Waiting extends Question {
  readonly answer: (answer: PoolAnswer) => void;
}
