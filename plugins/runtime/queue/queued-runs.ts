import type { Catalog } from '../catalog/catalog.ts';
import type { MaybeReplayed } from '../journal/keys.ts';
import { type RepeatGuard } from '../journal/repeats.ts';
import journalStore, { type KeyName } from '../journal/store.ts';
import { isGuarded, type ExecuteCall } from '../run/execute.ts';
import type { ExecutionResult } from '../facts/facts.ts';
import type { RunQueue } from './queue.ts';
import { PlatformError, type Operation, type Store, given } from '../../../kernel/index.ts';
import { renewError } from '../../../kernel/runner.ts';
import { CallerLeft, type Repeat } from '../journal/repeat.ts';

/** A call that is put into the queue, and whose caller waits for a while. */
export interface QueuedCall extends Omit<ExecuteCall, 'watcher' | 'abandoned'> {
  /** Told the run once it is in the queue; also the run of the same call that is under way already. */
  readonly entered: (runId: string) => void;
  /** Aborted when the caller waits no more. The run goes on. */
  readonly left: AbortSignal;
}

/** Runs that callers may leave to the queue. */
export type QueuedRuns = ReturnType<typeof createQueuedRuns>;

/** The parts of the way through the queue. */
interface QueuedRunsOptions {
  readonly queue: RunQueue;
  readonly repeats: RepeatGuard;
  readonly catalog: Catalog;
  readonly store: Pick<Store, 'reads' | 'shared'>;
}

const atOnce = Object.freeze({ waitMs: 0, applied: '' });
// Runs of guarded calls whose answers may be handed over later.
const mostGuarded = 10_000;

/** Lets plugins run Orbs by way of the queue. */
export function createQueuedRuns({ queue, repeats, catalog, store }: QueuedRunsOptions) {
  // Another node may have begun the call.
  const repeatOf = store.shared ? store.reads(journalStore).repeatOf : undefined;
  const guarded = new Map<string, KeyName>();
  const note = (runId: string, name: KeyName): void => {
    guarded.set(runId, name);
    const [oldest] = guarded.keys();
    if (guarded.size > mostGuarded && oldest !== undefined) guarded.delete(oldest);
  };
  const ended = async (runId: string, { principal, left }: Waiting, kept?: Kept): Promise<ExecutionResult> => {
    if (!(await queue.ended(runId, [left]))) throw new CallerLeft();
    const answer = await firstAnswer(queue.answer(runId, principal.id), kept);
    if (answer === undefined) throw new PlatformError('storage_unavailable', `the result of ${runId} is not recorded`);
    return answer;
  };
  return {
    /**
     * Runs an Orb as `execute` does, by way of the durable queue: the run outlives its caller and this process. A
     * repetition of the call joins it. Throws the problem of a run that did not complete, and 409
     * `idempotency_in_progress` once the caller has left.
     */
    async run({ repeat, ...call }: QueuedCall, key?: string): Promise<MaybeReplayed<ExecutionResult>> {
      const { entered, left, principal, orbiset_id, inputs } = call;
      const repeated = { principal: principal.id, orbiset_id, inputs, abandoned: () => left.aborted };
      if (key === undefined && repeat !== undefined && (repeat.always === true || isGuarded(call, catalog)))
        return repeats.run(repeated, { ...repeat, joined: entered }, async (claim, _, kept) => {
          const { run } = await queue.enter(call, atOnce, claim);
          note(run.run_id, claim.name);
          entered(run.run_id);
          return ended(run.run_id, call, kept);
        });
      if (repeat !== undefined) repeats.noteCall(repeated, repeat.name);
      const submitted = await queue.submit(call, key, atOnce, []);
      if ('answer' in submitted) return submitted;
      const { run_id } = submitted.run;
      entered(run_id);
      return { answer: await ended(run_id, call), replayed: submitted.replayed };
    },
    /**
     * Finds the answer of a run that has ended, which is kept for its principal for a day; throws it when it is a problem.
     * `carrier` as in `Repeat`, of a request that hands it over: once it has arrived, the same call is a new one.
     */
    async answer(runId: string, principal: string, carrier?: ReturnType<Repeat['carrier']>) {
      const name = guarded.get(runId) ?? (carrier && (await repeatOf?.(runId)));
      return firstAnswer(queue.answer(runId, principal), (unknown) => {
        if (name !== undefined && carrier !== undefined && !unknown) repeats.handedOver(name, runId, carrier);
      });
    },
    /** Cancels a run unless it was dispatched or has ended. The plugin has checked its owner. */
    cancel: (runId: string) => queue.cancel(runId),
  };
}

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
    const submitted = await queue.submit(call, key, { ...atOnce, beside }, []);
    const { run_id } = 'run' in submitted ? submitted.run : submitted.answer;
    return { run_id, replayed: submitted.replayed };
  };
}

type Waiting = Pick<QueuedCall, 'principal' | 'left'>;
type Kept = (unknown: boolean) => void;

// It is kept under the run and was not sent before under a key of the caller: not a repetition.
async function firstAnswer<T>(reading: Promise<T>, kept?: Kept): Promise<T> {
  try {
    const answer = await reading;
    kept?.(false);
    return answer;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    kept?.(error.code === 'outcome_unknown');
    const { headers, ...rest } = error.extensions;
    const { 'Idempotent-Replayed': _, ...others } = headers ?? {};
    throw renewError(error.code, error.message, { ...rest, ...given({ headers: headers && others }) });
  }
}
