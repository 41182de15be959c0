import type { Clock } from '../../../kernel/index.ts';

/** A circuit breaker per (revision, principal): refuses questions while evaluations keep timing out. */
export type Breaker = ReturnType<typeof createBreaker>;

const windowMs = 60_000;
const pauseMs = 30_000;
const timeouts = 3;
const mostKeys = 10_000;

interface State {
  at: number[];
  openUntil: number | undefined;
  trying: boolean;
}

/** Creates a breaker: it opens for 30 s after three timeouts in 60 s, then allows one trial. */
export function createBreaker(clock: Clock) {
  const states = new Map<string, State>();
  const keyOf = (revision: string, principal: string): string => `${revision} ${principal}`;
  return {
    /** Says whether a question may be evaluated; after the pause it allows one question as a trial. */
    allows(revision: string, principal: string) {
      const state = states.get(keyOf(revision, principal));
      if (state?.openUntil === undefined) return true;
      if (state.trying || clock.monotonic() < state.openUntil) return false;
      state.trying = true;
      return true;
    },
    /** Says whether the pause is running; does not use up the trial. */
    open(revision: string, principal: string) {
      const until = states.get(keyOf(revision, principal))?.openUntil;
      return until !== undefined && clock.monotonic() < until;
    },
    timedOut(revision: string, principal: string) {
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
    /** Records an evaluation that ended in time, with any result. */
    answered(revision: string, principal: string) {
      const state = states.get(keyOf(revision, principal));
      if (state?.trying === true) states.delete(keyOf(revision, principal));
    },
    /** Records that an allowed question was not evaluated: the next one may be the trial. */
    unasked(revision: string, principal: string) {
      const state = states.get(keyOf(revision, principal));
      if (state !== undefined) state.trying = false;
    },
  };
}
