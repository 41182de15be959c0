import { mayBeTakenLater, type StoreRetry } from '../journal/store-retry.ts';
import { wasSent } from '../outcome/unanswered-attempts.ts';
import type { Attested, Settled } from './run-record.ts';
import { renewError, GaveUp } from '../../../kernel/runner.ts';
import type { PlatformError } from '../../../kernel/index.ts';

/** What recording a run takes when its caller does not wait any more. */
export interface LateOptions {
  /** Counts the runs that are under way. */
  readonly openRuns: { enter(run: Settled): void; leave(run: Settled): void };
  readonly retry: Pick<StoreRetry, 'until'>;
  /** Issues the receipt of an ended run, and announces it. */
  readonly finish: (run: Settled) => Promise<unknown>;
  /** Announces a run that has its receipt. */
  readonly announce: (run: Attested) => void;
}

/**
 * Records the result of a run whose receipt the store did not take, or not in time. Until it has its receipt, a run that
 * was sent has its intent, and its key is in use.
 */
export function finishLater(run: Settled, error: unknown, { announce, finish, ...options }: LateOptions): void {
  if (!mayBeTakenLater(error)) return;
  const isKept = run.intended || run.claim?.durable === true;
  if (!(error instanceof GaveUp)) {
    if (isKept) hold(run, () => finish(run), options);
    return;
  }
  // If the late write fails, repeat it.
  const again = (cause: unknown): void => {
    if (isKept && mayBeTakenLater(cause)) hold(run, () => finish(run), options);
  };
  options.openRuns.enter(run);
  const recorded = (error.late as Promise<Attested>).then(announce, again);
  void recorded.finally(() => options.openRuns.leave(run));
}

/**
 * Ends a run whose caller was told that it was not begun, because the store had not taken its intent in time: an intent
 * that is recorded later ends with a receipt, and frees the key.
 */
export function undoLater(run: Settled, { late }: GaveUp, { finish, ...options }: LateOptions): void {
  options.openRuns.enter(run);
  const undoing = (): void => hold(run, () => finish(run), options);
  void late.then(undoing, () => undefined).finally(() => options.openRuns.leave(run));
}

/** Names a run in the problem of its caller, unless it was not sent and has no intent: then it cannot be read later. */
export function naming(error: PlatformError, { run_id, attempts, intended, waited }: Settled): PlatformError {
  const isThere = intended || waited !== undefined || wasSent(attempts);
  return isThere ? renewError(error.code, error.message, { ...error.extensions, run_id }) : error;
}

function hold(run: Settled, work: () => Promise<unknown>, options: Pick<LateOptions, 'openRuns' | 'retry'>): void {
  options.openRuns.enter(run);
  void options.retry
    .until(work, 'the result of a run could not be recorded')
    .finally(() => options.openRuns.leave(run));
}
