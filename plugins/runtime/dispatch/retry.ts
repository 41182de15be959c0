import { isPlatforms } from '../outcome/outcome.ts';
import type { Effect, Outcome } from '../../../kernel/runner.ts';
import type { IdempotencySupport } from '../../../kernel/adapter.ts';

/** The input of the retry loop's decision on how a run goes on. */
export interface RetryState {
  readonly effect: Effect;
  /** The caller's explicit choice that the effect may happen twice. */
  readonly atLeastOnce: boolean;
  readonly idempotency: IdempotencySupport;
  /**
   * A call at this provider may have been accepted: an `unknown` that neither a `lookup()` nor its own answer settled.
   */
  readonly unsettled: boolean;
  /** A call with an unknown outcome ends the run: another one may be billed, too. */
  readonly once?: boolean;
  /** Attempts of the run so far, this one included; and those at this provider. */
  readonly attempts: number;
  readonly attemptsHere: number;
  /** Time since the first dispatch at this provider, ms. */
  readonly sinceFirstMs: number;
  /** Time until the deadline, ms. */
  readonly remainingMs: number;
  /** The provider's budget of repeated calls is not used up. */
  readonly budget: boolean;
  /** 0–1: spreads callers that failed together. */
  readonly jitter: number;
}

/** How a run goes on: the same provider after a delay (ms), the next one, or not at all. */
export type Next =
  | { readonly go: 'again'; readonly delayMs: number }
  | { readonly go: 'next' }
  | { readonly go: 'end' };

/** Attempts of one run at all providers, and at one. */
const maxAttempts = 6;
const maxAttemptsHere = 3;
const firstDelayMs = 100;
const longestDelayMs = 2000;

const end: Next = Object.freeze({ go: 'end' });
const next: Next = Object.freeze({ go: 'next' });

/**
 * Decides, after one attempt, how the run goes on: the rules of retry and failover. With an effect, while an `unknown`
 * is unsettled, the run goes on only with the same key at the same provider or by the caller's choice, whatever the
 * latest answer was.
 */
export function decideNext(outcome: Outcome, state: RetryState): Next {
  if (state.remainingMs <= 0 || state.attempts >= maxAttempts) return end;
  const wish = byOutcome(outcome, state);
  return state.unsettled && state.effect !== 'none' ? withoutDoubling(wish, state) : wish;
}

function byOutcome(outcome: Outcome, state: RetryState): Next {
  switch (outcome.outcome) {
    case 'accepted':
    case 'rejected':
    case 'invalid_outputs':
      return end;
    case 'provider_fault':
      return next;
    case 'not_sent':
      // A node may have its lease again at once; a store that takes no intent takes none of another provider.
      if (isPlatforms(outcome)) return outcome.phase === 'lease' ? (again(state) ?? end) : end;
      return atOnce.has(outcome.phase) ? next : (again(state) ?? next);
    case 'throttled':
      return throttled(outcome.retry_after, state);
    case 'unknown':
      return state.once === true ? end : (again(state) ?? next);
  }
}

// Phases after which an immediate second call is useless.
const atOnce: ReadonlySet<string | undefined> = new Set(['open', 'breaker', 'queue', 'drain']);

// A repeated call is the same call only while the vendor remembers its key.
function withoutDoubling(wish: Next, { idempotency, sinceFirstMs, atLeastOnce }: RetryState): Next {
  const keptMs = idempotency.kind === 'native' ? idempotency.window_s * 1000 : 0;
  const sameCall = wish.go === 'again' && sinceFirstMs + wish.delayMs < keptMs;
  if (wish.go === 'end' || sameCall) return wish;
  return atLeastOnce ? next : end;
}

// Exponential backoff with full jitter; never beyond the deadline.
function again({ attemptsHere, remainingMs, budget, jitter }: RetryState): Next | undefined {
  if (attemptsHere >= maxAttemptsHere || !budget) return undefined;
  const delayMs = jitter * Math.min(longestDelayMs, firstDelayMs * 2 ** (attemptsHere - 1));
  return delayMs < remainingMs ? { go: 'again', delayMs } : undefined;
}

// The provider sets its own delay: the same provider after it, if the deadline allows; else the next provider.
function throttled(retryAfter: number | undefined, state: RetryState): Next {
  if (retryAfter === undefined) return again(state) ?? next;
  const delayMs = retryAfter * 1000;
  const allowed = state.attemptsHere < maxAttemptsHere && state.budget && delayMs < state.remainingMs;
  return allowed ? { go: 'again', delayMs } : next;
}
