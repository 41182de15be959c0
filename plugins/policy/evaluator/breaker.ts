import type { Clock } from '../../../kernel/index.ts';

/** Answers at once for a (revision, principal) whose questions keep running out of time. */
export interface Breaker {
  /** Says whether a question may be evaluated; after a pause one may, as a trial. */
  allows(revision: string, principal: string): boolean;
  /** Says whether it answers at once at this moment; takes up no trial. */
  open(revision: string, principal: string): boolean;
  timedOut(revision: string, principal: string): void;
  /** An evaluation ended in time, whatever came of it. */
  answered(revision: string, principal: string): void;
  /** A question that was allowed was not evaluated: the next one may be the trial. */
  unasked(revision: string, principal: string): void;
}

const windowMs = 60_000;
const pauseMs = 30_000;
const timeouts = 3;
const mostKeys = 10_000;

interface State {
  at: number[];
  openUntil: number | undefined;
  trying: boolean;
}

/** Creates a breaker: three timeouts in 60 s, then 30 s without a try, then one. */
export function createBreaker(clock: Clock): Breaker {
  const states = new Map<string, State>();
  const keyOf = (revision: string, principal: string): string => `${revision} ${principal}`;
  return {
    allows(revision, principal) {
      const state = states.get(keyOf(revision, principal));
      if (state?.openUntil === undefined) return true;
      if (state.trying || clock.monotonic() < state.openUntil) return false;
      state.trying = true;
      return true;
    },
    open(revision, principal) {
      const until = states.get(keyOf(revision, principal))?.openUntil;
      return until !== undefined && clock.monotonic() < until;
    },
    timedOut(revision, principal) {
      const key = keyOf(revision, principal);
      const now = clock.monotonic();
      const state = states.get(key) ?? { at: [], openUntil: undefined, trying: false };
      state.at = [...state.at.filter((at) => now - at < windowMs), now];
      if (state.trying || state.at.length >= timeouts) state.openUntil = now + pauseMs;
      state.trying = false;
      states.delete(key);
      states.set(key, state);
      if (states.size > mostKeys) states.delete(states.keys().next().value ?? '');
    },
    answered(revision, principal) {
      const state = states.get(keyOf(revision, principal));
      if (state?.trying === true) states.delete(keyOf(revision, principal));
    },
    unasked(revision, principal) {
      const state = states.get(keyOf(revision, principal));
      if (state !== undefined) state.trying = false;
    },
  };
}
