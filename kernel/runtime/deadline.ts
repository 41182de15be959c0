import type { Clock } from '../clock.ts';
import type { Outcome } from './outcome.ts';

/** A run's time budget, counted from `accept`. */
export interface Deadline {
  /** Aborts when the budget is used up. */
  readonly signal: AbortSignal;
  /** True when the caller's own `timeout_ms`, shorter than the manifest's, is the budget. */
  readonly callers: boolean;
  passed(): boolean;
  /** Waits for a call, but no longer than the budget and a short grace in which the adapter can say what it knows. */
  bound(call: Promise<Outcome | undefined>): Promise<Outcome | undefined>;
  /** Ends the timer. */
  clear(): void;
}

const graceMs = 100;
const lateOutcome: Outcome = Object.freeze({
  outcome: 'unknown',
  phase: 'deadline',
  message: 'the deadline passed and the provider did not say what became of the call',
});

/** Starts the deadline of a run. */
export function deadlineOf(
  run: {
    readonly timeout_ms?: number;
    readonly begun: number;
    readonly orb: { readonly manifest: { readonly timeout_ms: number } };
  },
  clock: Clock,
): Deadline {
  const own = run.orb.manifest.timeout_ms;
  const budget = Math.min(run.timeout_ms ?? own, own);
  const controller = new AbortController();
  let late: ((outcome: Outcome) => void) | undefined;
  let grace: NodeJS.Timeout | undefined;
  const timer = setTimeout(
    () => {
      controller.abort(new Error('the deadline passed'));
      grace = setTimeout(() => late?.(lateOutcome), graceMs);
    },
    Math.max(0, budget - (clock.monotonic() - run.begun)),
  );
  return {
    signal: controller.signal,
    callers: run.timeout_ms !== undefined && run.timeout_ms < own,
    passed: () => controller.signal.aborted,
    bound: (call) =>
      new Promise((resolve, reject) => {
        late = resolve;
        call.then(resolve, reject);
      }),
    clear: () => {
      clearTimeout(timer);
      clearTimeout(grace);
    },
  };
}
