import type { Clock } from '../../kernel/index.ts';

// Shorter timers bound work that is under way, which takes its real time.
const shortMs = 400;

// Those of the machine; the work of an interval catches its errors itself, wherever it is started.
const real = { once: setTimeout, often: setInterval, end: clearTimeout };

/**
 * The time of a demonstration. It is still until it is moved, and goes on as that of the machine once it is released.
 * While it is held, the timers of this process fire when it passes them.
 */
export class SimulatedTime implements Clock {
  readonly #begun: number;
  readonly #timers = new Set<HeldTimer>();
  #at: number;
  /** When it was released, on the clock of the process. */
  #released: number | undefined;

  /** `at`: milliseconds since the Unix epoch. */
  constructor(at: number) {
    this.#begun = at;
    this.#at = at;
  }

  now(): number {
    return Math.floor(this.#begun + this.monotonic());
  }

  monotonic(): number {
    const more = this.#released === undefined ? 0 : performance.now() - this.#released;
    return this.#at - this.#begun + more;
  }

  /** Takes the timers of this process over. */
  hold(): void {
    const held =
      (repeats: boolean) =>
      (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
        if (this.#released !== undefined || ms < shortMs)
          return repeats ? real.often(work, ms, ...given) : real.once(work, ms, ...given);
        return new HeldTimer({ work: () => work(...given), ms, repeats, timers: this.#timers, now: () => this.now() });
      };
    const clear = (timer: unknown): void => {
      if (timer instanceof HeldTimer) timer.close();
      else real.end(timer as NodeJS.Timeout);
    };
    const all = { setTimeout: held(false), setInterval: held(true), clearTimeout: clear, clearInterval: clear };
    Object.assign(globalThis, all);
  }

  /** Moves to a later time; an earlier one changes nothing. */
  move(to: number): void {
    if (this.#released === undefined) this.#at = Math.max(this.#at, to);
  }

  /** Moves to a time and fires the timers that are due, each once. */
  pass(to: number): void {
    this.move(to);
    const due = [...this.#timers].filter((timer) => timer.due <= to).sort((one, other) => one.due - other.due);
    for (const timer of due) timer.fire();
  }

  /** Lets the time go on, and gives the timers back. */
  release(): void {
    if (this.#released !== undefined) return;
    this.#released = performance.now();
    for (const timer of this.#timers) timer.release();
  }
}

interface TimerOptions {
  readonly work: () => void;
  readonly ms: number;
  readonly repeats: boolean;
  readonly timers: Set<HeldTimer>;
  readonly now: () => number;
}

// What `setTimeout` and `setInterval` return while the time is held. It keeps no process alive: the server does.
class HeldTimer {
  readonly #options: TimerOptions;
  due: number;
  #real: NodeJS.Timeout | undefined;

  constructor(options: TimerOptions) {
    this.#options = options;
    this.due = options.now() + options.ms;
    options.timers.add(this);
  }

  fire(): void {
    const { ms, now, repeats, timers, work } = this.#options;
    // Another timer may have ended this one.
    if (!timers.has(this)) return;
    this.due = now() + ms;
    if (!repeats) timers.delete(this);
    work();
  }

  close(): this {
    this.#options.timers.delete(this);
    real.end(this.#real);
    return this;
  }

  refresh(): this {
    const { ms, now, timers } = this.#options;
    this.due = now() + ms;
    if (this.#real === undefined) timers.add(this);
    else this.#real.refresh();
    return this;
  }

  release(): void {
    const { ms, now, repeats, work } = this.#options;
    const timer = repeats ? real.often(work, ms) : real.once(work, Math.max(1, this.due - now()));
    this.#real = timer.unref();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
