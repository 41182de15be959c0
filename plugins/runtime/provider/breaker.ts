import type { Clock } from '../../../kernel/index.ts';

/** Closed: calls go through. Open: none does. Half-open: one call, or a probe, finds out. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** The right to make one call; in the state half-open there is only one at a time. */
export type Permit = Readonly<Record<never, never>>;

const anyCall: Permit = Object.freeze({});

const consecutiveLimit = 5;
const minimumVolume = 20;
const windowMs = 30_000;
const rateLimit = 0.5;
const firstOpenMs = 1000;
const longestOpenMs = 60_000;

/** Blocks calls to a provider that fails, and lets a single one test whether it works again. */
export class Breaker {
  readonly #clock: Clock;
  readonly #random: () => number;
  #recent: { readonly at: number; readonly failed: boolean }[] = [];
  #consecutive = 0;
  #openings = 0;
  #openUntil: number | undefined;
  /** The permit of the call that tests the provider. */
  #probe: Permit | undefined;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  get state(): BreakerState {
    if (this.#openUntil === undefined) return 'closed';
    return this.#clock.monotonic() < this.#openUntil ? 'open' : 'half_open';
  }

  /** How long it stays open, ms; 0 unless it is open. */
  get remainingMs(): number {
    return Math.max(0, (this.#openUntil ?? 0) - this.#clock.monotonic());
  }

  /**
   * Requests a call; undefined: do not make it. When half-open, only one is allowed until it is recorded or released.
   */
  allow(): Permit | undefined {
    const { state } = this;
    if (state === 'closed') return anyCall;
    if (state === 'open' || this.#probe !== undefined) return undefined;
    this.#probe = {};
    return this.#probe;
  }

  /** Returns a permit without a result: the call showed nothing about the provider. */
  release(permit: Permit | undefined): void {
    if (permit === this.#probe) this.#probe = undefined;
  }

  /** Records the result of a call, or of a probe without a permit. `retryAfterMs`: the provider's own delay. */
  record(failed: boolean, retryAfterMs = 0, permit?: Permit): void {
    const wasOpen = this.#openUntil !== undefined;
    const finding = this.#probe !== undefined && permit !== this.#probe;
    // Calls that were under way when the breaker opened give no new information: many of them must not count as many
    // failed probes, and none of them may let a second test begin while the first runs.
    if (failed && (finding || (this.#probe === undefined && this.state === 'open')))
      return this.#stayOpen(retryAfterMs);
    this.#probe = undefined;
    if (!failed) return wasOpen ? this.#close() : this.#count(false);
    if (wasOpen) return this.#open(retryAfterMs);
    this.#count(true);
    if (this.#consecutive >= consecutiveLimit || this.#tooMany()) this.#open(retryAfterMs);
  }

  #count(failed: boolean): void {
    const at = this.#clock.monotonic();
    this.#consecutive = failed ? this.#consecutive + 1 : 0;
    this.#recent.push({ at, failed });
    if (this.#recent.length > 512) this.#recent.splice(0, 256);
  }

  #tooMany(): boolean {
    const since = this.#clock.monotonic() - windowMs;
    const recent = this.#recent.filter(({ at }) => at >= since);
    return recent.length >= minimumVolume && recent.filter(({ failed }) => failed).length / recent.length >= rateLimit;
  }

  #open(retryAfterMs: number): void {
    // Exponential, spread by a tenth so that several callers do not return at once; the provider's own delay has
    // priority.
    const backoff = Math.min(longestOpenMs, firstOpenMs * 2 ** this.#openings) * (0.9 + 0.2 * this.#random());
    this.#openings += 1;
    this.#openUntil = this.#clock.monotonic() + Math.max(backoff, retryAfterMs);
  }

  #stayOpen(ms: number): void {
    this.#openUntil = Math.max(this.#openUntil ?? 0, this.#clock.monotonic() + ms);
  }

  #close(): void {
    this.#openings = 0;
    this.#consecutive = 0;
    this.#recent = [];
    this.#openUntil = undefined;
  }
}
