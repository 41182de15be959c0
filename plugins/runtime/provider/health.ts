import { isElsewhere, isUnfit } from '../outcome/outcome.ts';
import { callFailureOf, type LastFailure } from '../outcome/provider-failure.ts';
import type { Clock, Health } from '../../../kernel/index.ts';
import type { Outcome } from '../../../kernel/runner.ts';

/** Closed: calls go through. Open: none does. Half-open: one call, or a probe, finds out. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** The right to make one call; in the state half-open there is only one at a time. */
export type Permit = Readonly<Record<never, never>>;

const anyCall: Permit = Object.freeze({});

const consecutiveLimit = 5;
const minimumVolume = 20;
const recentMs = 30_000;
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
  #since: number | undefined;
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

  /** When it opened, as wall-clock time; undefined while it is closed. */
  get since(): number | undefined {
    return this.#since;
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
    const since = this.#clock.monotonic() - recentMs;
    const recent = this.#recent.filter(({ at }) => at >= since);
    return recent.length >= minimumVolume && recent.filter(({ failed }) => failed).length / recent.length >= rateLimit;
  }

  #open(retryAfterMs: number): void {
    // Exponential, spread by a tenth so that several callers do not return at once; the provider's own delay has
    // priority.
    const backoff = Math.min(longestOpenMs, firstOpenMs * 2 ** this.#openings) * (0.9 + 0.2 * this.#random());
    this.#openings += 1;
    this.#since ??= this.#clock.now();
    this.#openUntil = this.#clock.monotonic() + Math.max(backoff, retryAfterMs);
  }

  #stayOpen(ms: number): void {
    this.#openUntil = Math.max(this.#openUntil ?? 0, this.#clock.monotonic() + ms);
  }

  #close(): void {
    this.#openings = 0;
    this.#consecutive = 0;
    this.#recent = [];
    this.#openUntil = this.#since = undefined;
  }
}

const windowMs = 300_000;
const sliceMs = 10_000;
const slices = windowMs / sliceMs;
const keptLatencies = 256;
// Repeated calls may add a fifth to a provider's load; a few are always allowed.
const repeatShare = 0.2;
const repeatsAlways = 10;

/** Called on a change: from, to and why; with the failure that it comes from. */
export type HealthListener = (from: Health, to: Health, reason: string, failure?: LastFailure) => void;

/**
 * The circumstances of a call. `callers`: only the caller's own deadline ended it; `permit`: the result of `allow`,
 * undefined if it was not called.
 */
export interface RecordedCall {
  readonly callers: boolean;
  readonly repeated: boolean;
  readonly permit?: Permit | undefined;
}

/** The health of one provider under one configuration, for all its transports. */
export class ProviderHealth {
  readonly #clock: Clock;
  readonly #listener: HealthListener;
  /** Its permits: an allowed call must be recorded or released. */
  readonly breaker: Breaker;
  readonly #calls = new Uint32Array(slices);
  readonly #errors = new Uint32Array(slices);
  readonly #repeats = new Uint32Array(slices);
  readonly #latencies: { readonly at: number; readonly ms: number }[] = [];
  #slice = 0;
  #measured: Health = 'unknown';
  #reported: 'up' | 'degraded' | 'down' = 'up';
  /** Tools of it are defined otherwise than Orbs need them. */
  #redefined = false;
  #probeFailure: LastFailure | undefined;
  #callFailure: LastFailure | undefined;

  constructor(clock: Clock, listener: HealthListener) {
    this.#clock = clock;
    this.#listener = listener;
    this.breaker = new Breaker(clock);
  }

  /** The last measured health, by probe or call; or the reported one of an open incident, if that is worse. */
  get health(): Health {
    return worse(worse(this.#measured, this.#reported), this.#redefined ? 'degraded' : 'up');
  }

  /** The measured health alone: by probe or by the last call. */
  get measured(): Health {
    return this.#measured;
  }

  /** The last opening or probe that failed, also when a later one succeeded; undefined: none since the start. */
  get probeFailure(): LastFailure | undefined {
    return this.#probeFailure;
  }

  /** The last call that failed by the fault of the provider. */
  get callFailure(): LastFailure | undefined {
    return this.#callFailure;
  }

  /** Sets the health by open incidents; `up` when there are none. */
  reported(health: 'up' | 'degraded' | 'down', reason: string): void {
    const from = this.health;
    this.#reported = health;
    if (this.health !== from) this.#listener(from, this.health, reason);
  }

  /** Says whether tools of it are defined otherwise than Orbs need them: it is degraded as long as this is so. */
  redefined(isSo: boolean): void {
    const from = this.health;
    this.#redefined = isSo;
    if (this.health !== from) this.#listener(from, this.health, isSo ? 'definition_changed' : 'definitions_pinned');
  }

  /** Keeps why an opening or a probe failed; the health stays as it is. */
  noteProbe(failure: LastFailure['failure']): void {
    this.#probeFailure = { at: this.#clock.now(), failure };
  }

  /** Records the result of a probe. A good one lets calls through again. */
  probed(reachable: boolean, reason: string): void {
    if (this.breaker.state !== 'closed') this.breaker.record(!reachable);
    this.#become(reachable ? 'up' : 'down', reason, reachable ? undefined : this.#probeFailure);
  }

  /**
   * Counts one call. Failures that the request itself caused do not count against the provider: `rejected`, outputs
   * that the Orb's schema refused, and an unanswered attempt that only the caller's own deadline ended (`callers`).
   */
  record(outcome: Outcome, latencyMs: number, { callers, repeated, permit }: RecordedCall): void {
    const next = callers && outcome.outcome === 'unknown' ? undefined : healthAfter(outcome);
    const slice = this.#turn();
    if (repeated) this.#repeats[slice] = (this.#repeats[slice] ?? 0) + 1;
    if (next === undefined) return this.breaker.release(permit);
    this.#calls[slice] = (this.#calls[slice] ?? 0) + 1;
    if (next !== 'up') this.#errors[slice] = (this.#errors[slice] ?? 0) + 1;
    this.#latencies.push({ at: this.#clock.monotonic(), ms: latencyMs });
    if (this.#latencies.length > 2 * keptLatencies) this.#latencies.splice(0, keptLatencies);
    if (next !== 'up' && outcome.outcome !== 'accepted')
      this.#callFailure = { at: this.#clock.now(), failure: callFailureOf(outcome) };
    const retryAfter = outcome.outcome === 'throttled' ? outcome.retry_after : undefined;
    this.breaker.record(next !== 'up', (retryAfter ?? 0) * 1000, permit);
    const failure = next === 'up' ? undefined : this.#callFailure;
    if (this.breaker.state === 'open') this.#become('down', 'breaker_open', failure);
    else this.#become(next, outcome.outcome, failure);
  }

  /** Says whether a repeated call fits the provider's budget: at most a fifth of its calls, but a few always. */
  mayRepeat(): boolean {
    this.#turn();
    return sum(this.#repeats) < Math.max(repeatsAlways, repeatShare * sum(this.#calls));
  }

  /** Share of failed calls in the last 5 minutes, 0–1 with 3 decimals; 0 without calls. */
  errorRate(): number {
    this.#turn();
    const calls = sum(this.#calls);
    return calls === 0 ? 0 : Math.round((sum(this.#errors) / calls) * 1000) / 1000;
  }

  /** 95th percentile of the latest calls of the last 5 minutes, whole ms; 0 without calls. */
  p95(): number {
    const since = this.#clock.monotonic() - windowMs;
    const recent = this.#latencies.filter(({ at }) => at >= since).slice(-keptLatencies);
    const sorted = recent.map(({ ms }) => ms).sort((a, b) => a - b);
    return Math.round(sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0);
  }

  #become(next: Health, reason: string, failure: LastFailure | undefined): void {
    const from = this.health;
    this.#measured = next;
    if (this.health !== from) this.#listener(from, this.health, reason, failure);
  }

  // Clears the slices whose time has passed and returns the present one.
  #turn(): number {
    const now = Math.floor(this.#clock.monotonic() / sliceMs);
    for (let slice = Math.max(this.#slice + 1, now - slices + 1); slice <= now; slice++)
      for (const counts of [this.#calls, this.#errors, this.#repeats]) counts[slice % slices] = 0;
    this.#slice = now;
    return now % slices;
  }
}

const gravity: Readonly<Record<Health, number>> = { unknown: 0, up: 1, degraded: 2, down: 3 };

// If nothing is reported, an unmeasured provider stays unknown.
function worse(measured: Health, reported: Health): Health {
  return reported !== 'up' && gravity[reported] > gravity[measured] ? reported : measured;
}

function sum(counts: Uint32Array): number {
  return counts.reduce((total, count) => total + count, 0);
}

function healthAfter(result: Outcome): Health | undefined {
  const { outcome } = result;
  if (outcome === 'accepted') return 'up';
  // Its other tools and models work.
  if (isUnfit(result) || isElsewhere(result)) return undefined;
  if (outcome === 'provider_fault' || outcome === 'not_sent') return 'down';
  return outcome === 'throttled' || outcome === 'unknown' ? 'degraded' : undefined;
}
