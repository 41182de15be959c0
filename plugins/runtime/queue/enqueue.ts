import type { ExecuteCall } from '../run/execute.ts';
import type { RunQueue } from './queue.ts';
import type { Operation } from '../../../kernel/index.ts';

/** A run that waits, or has ended; `replayed`: an earlier call with the key put it into the queue. */
export interface Enqueued {
  readonly run_id: string;
  readonly replayed: boolean;
}

/**
 * Puts a run into the queue, once per Idempotency-Key, as `POST /orbisets/{id}/execute` with `Prefer: respond-async`
 * does, and throws what that answers. `beside` makes writes that commit with the run, or not at all: when one throws,
 * there is no run. Not called when an earlier call put it into the queue.
 */
export type Enqueue = (
  call: ExecuteCall,
  key: string,
  beside: (runId: string) => readonly Operation[],
) => Promise<Enqueued>;

/** Lets plugins put runs into the queue. */
export function createEnqueue(queue: Pick<RunQueue, 'submit'>): Enqueue {
  return async (call, key, beside) => {
    let entered: string | undefined;
    const noted = (runId: string): readonly Operation[] => {
      entered = runId;
      return beside(runId);
    };
    const submitted = await queue.submit(call, key, { waitMs: 0, applied: '', beside: noted }, []);
    const { run_id } = 'run' in submitted ? submitted.run : submitted.answer;
    return { run_id, replayed: entered !== run_id };
  };
}
