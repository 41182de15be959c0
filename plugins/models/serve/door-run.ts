import type { Metered } from '../../runtime/contract.ts';
import type { Asking } from '../scope.ts';

/** What a door asks of the runtime. */
export interface DoorRun {
  /** The API that the caller used: `openai/chat`, `anthropic/messages`. */
  readonly door: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly asking: Asking;
}

/** What is known of a run before its answer. */
export interface RunNotes {
  run_id?: string;
  provider?: string;
  /** What it costs; known once its receipt is durable. */
  metered?: Metered;
}
