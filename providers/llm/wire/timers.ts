/** Time limits of one answer. */
export interface AnswerLimits {
  readonly first_part_timeout_ms: number;
  readonly idle_timeout_ms: number;
}

/** The time limits of one call: its signal aborts when the caller's does, or when one of them passes. */
export class CallTimers {
  readonly #outer: AbortSignal;
  readonly #limits: AnswerLimits;
  readonly #own = new AbortController();
  readonly #first: NodeJS.Timeout;
  #idle: NodeJS.Timeout | undefined;
  /** The setting whose limit passed. */
  passed: keyof AnswerLimits | undefined;

  constructor(outer: AbortSignal, limits: AnswerLimits) {
    this.#outer = outer;
    this.#limits = limits;
    // AbortSignal.any takes ten times as long.
    if (outer.aborted) this.#abort();
    else outer.addEventListener('abort', this.#abort, { once: true });
    this.#first = this.#after('first_part_timeout_ms');
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** The answer is not streamed: nothing comes until it is whole. */
  unstreamed(): void {
    clearTimeout(this.#first);
  }

  /** A part of the answer came, or what comes is no stream: from now on silence is limited. */
  begun(): void {
    clearTimeout(this.#first);
    this.#idle ??= this.#after('idle_timeout_ms');
  }

  /** Bytes came. */
  alive(): void {
    this.#idle?.refresh();
  }

  /** Ends all of them. */
  end(): void {
    clearTimeout(this.#first);
    clearTimeout(this.#idle);
    this.#outer.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#own.abort();

  #after(limit: keyof AnswerLimits): NodeJS.Timeout {
    return setTimeout(() => {
      this.passed ??= limit;
      this.#own.abort();
    }, this.#limits[limit]);
  }
}
