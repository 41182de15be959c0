import type { Ending } from '../outcome/outcome.ts';
import type { Attempt } from '../facts/run.ts';
import type { Clock } from '../../../kernel/index.ts';
import type { Outcome } from '../../../kernel/runner.ts';

/** A run's time budget, counted from `accept`. */
export interface Deadline {
  /** True when the caller's own `timeout_ms`, shorter than the manifest's, is the budget. */
  readonly callers: boolean;
  /** Time left, ms; 0 when it is used up. */
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

const graceMs = 100;
const grainMs = 16;
const unsaid = 'the deadline passed before the provider reported a result';

/**
 * Says whether the deadline decided: the run timed out, or is unknown and every unanswered attempt ended by the
 * deadline.
 */
export function decidedByDeadline({ status, outcome }: Ending, attempts: readonly Attempt[]): boolean {
  if (status === 'timed_out') return true;
  const silent = attempts.filter((attempt) => attempt.outcome === 'unknown' && attempt.lookup === undefined);
  return outcome === 'unknown' && silent.length > 0 && silent.every(({ phase }) => phase === 'deadline');
}

// Node keeps one list of timers per duration; a list for each duration is slow under load.
function grained(ms: number): number {
  return ms < 1000 ? ms : Math.ceil(ms / grainMs) * grainMs;
}

/** The wait for one attempt: over after `ms` with the given phase, or when it is ended. */
export class AttemptTimer {
  readonly #ms: number;
  readonly #phase: string;
  readonly #begun = performance.now();
  readonly #answer = Promise.withResolvers<Outcome | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #controller: AbortController | undefined;
  #over: string | undefined;
  #ended = false;

  constructor(ms: number, phase: string) {
    this.#ms = ms;
    this.#phase = phase;
    armLater(this);
  }

  /** Starts the timer, unless it is over or ended by now. */
  arm(): void {
    if (this.#ended || this.#over !== undefined) return;
    const left = this.#ms - (performance.now() - this.#begun);
    this.#timer = setTimeout(() => this.end(this.#phase), Math.max(1, grained(left)));
  }

  /** Aborts when the wait is over; made when an adapter first uses it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over !== undefined) this.#abort(this.#over);
    }
    return this.#controller.signal;
  }

  /** Why the wait is over; absent while it lasts. */
  get over(): string | undefined {
    return this.#over;
  }

  /** True once the call itself has ended; until then its request may still arrive. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Ends the wait at once; `phase` is recorded for the attempt unless the adapter reports a more exact one. */
  end(phase: string): void {
    if (this.#over !== undefined) return;
    this.#over = phase;
    clearTimeout(this.#timer);
    this.#abort(phase);
    this.#grace = setTimeout(() => this.#answer.resolve({ outcome: 'unknown', phase, message: unsaid }), graceMs);
  }

  /** Waits for a call; after the end only for a short grace period, in which the adapter can report what it knows. */
  bound(call: Promise<Outcome | undefined>): Promise<Outcome | undefined> {
    const { promise, resolve, reject } = this.#answer;
    call.then(
      (outcome) => {
        this.#finish();
        resolve(outcome);
      },
      (error: unknown) => {
        this.#finish();
        reject(error);
      },
    );
    return promise;
  }

  #finish(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#grace);
  }

  #abort(phase: string): void {
    this.#controller?.abort(new Error(`the attempt must settle (${phase})`));
  }
}

const unarmed: AttemptTimer[] = [];

// At the end of this turn of the event loop: calls that have ended by then, as those of local adapters, need no timer.
function armLater(timer: AttemptTimer): void {
  if (unarmed.push(timer) === 1) setImmediate(armAll);
}

function armAll(): void {
  for (const timer of unarmed.splice(0)) timer.arm();
}
