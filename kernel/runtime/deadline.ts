import type { Clock } from '../clock.ts';
import type { Outcome } from './outcome.ts';

/** A run's time budget, counted from `accept`. */
export interface Deadline {
  /** True when the caller's own `timeout_ms`, shorter than the manifest's, is the budget. */
  readonly callers: boolean;
  /** What is left, ms; 0 when it is used up. */
  remaining(): number;
}

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
  const ends = run.begun + Math.min(run.timeout_ms ?? own, own);
  return {
    callers: run.timeout_ms !== undefined && run.timeout_ms < own,
    remaining: () => Math.max(0, ends - clock.monotonic()),
  };
}

/** How long one attempt is waited for. */
export interface Patience {
  /** Aborts when it is over. */
  readonly signal: AbortSignal;
  /** Why it is over; absent while it lasts. */
  readonly over: string | undefined;
  /** Ends it at once; `phase` stands in the attempt if the adapter does not know better. */
  end(phase: string): void;
  /** True once the call itself has ended; until then what it asked for may yet arrive. */
  readonly ended: boolean;
  /** Waits for a call, but after the end only for a short grace, in which the adapter can say what it knows. */
  bound(call: Promise<Outcome | undefined>): Promise<Outcome | undefined>;
}

const graceMs = 100;

/** Makes the patience for one attempt: over after `ms` with the phase given. */
export function patienceOf(ms: number, phase: string): Patience {
  const controller = new AbortController();
  let over: string | undefined;
  let ended = false;
  let settle: ((outcome: Outcome) => void) | undefined;
  let grace: NodeJS.Timeout | undefined;
  const end = (why: string): void => {
    if (over !== undefined) return;
    over = why;
    controller.abort(new Error(`the attempt must settle (${why})`));
    grace = setTimeout(() => settle?.({ outcome: 'unknown', phase: why, message: unsaid }), graceMs);
  };
  const timer = setTimeout(() => end(phase), ms);
  const clear = (): void => {
    clearTimeout(timer);
    clearTimeout(grace);
  };
  return {
    signal: controller.signal,
    get over() {
      return over;
    },
    get ended() {
      return ended;
    },
    end,
    bound: (call) =>
      new Promise<Outcome | undefined>((resolve, reject) => {
        settle = resolve;
        const done = (): void => void (ended = true);
        call.then(done, done);
        call.then(resolve, reject);
      }).finally(clear),
  };
}

const unsaid = 'the time was up and the provider did not say what became of the call';
