import { PlatformError } from '../../../kernel/index.ts';
import type { Delivery } from '../../../kernel/runner.ts';

/** What distinguishes a repeated call from a new one, for a call without a key of its caller. */
export interface Repeat {
  /** The name by which the caller named the Orb. */
  readonly name: string;
  /**
   * Asked when the result is known: calls back once the answer that has it was sent, or was lost. Undefined: the
   * caller was told something else meanwhile, so that it has to call again for the result.
   */
  carrier(): ((callback: (delivery: Delivery) => void) => void) | undefined;
  /** The call is guarded whatever its effect: its run outlives it, and it comes back for the answer. */
  readonly always?: true;
  /** Told the run of the same call that is under way. */
  joined?(runId: string): void;
}

/** The caller does not wait any more; the work goes on, and others still wait for it. */
export class CallerLeft extends PlatformError {
  constructor() {
    super('idempotency_in_progress', 'the same call is still running; send it again later', { retry_after: 1 });
  }
}
