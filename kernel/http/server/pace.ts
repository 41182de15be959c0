import type { Clock } from '../../tools/clock.ts';

/** Spreads the refusals of one caller over time, so that a refused caller cannot keep the process busy by repeating. */
export interface Pace {
  /**
   * Resolves when the caller's next refusal may be answered: at once for the first few, then in slots, never later than
   * 1 s.
   */
  wait(caller: string): Promise<void>;
}

const slotMs = 20;
const burst = 10;
const longestMs = 1000;
const mostCallers = 10_000;

/** Creates a pace of 50 refusals per second and caller, after eleven at once. */
export function createPace(clock: Pick<Clock, 'monotonic'>): Pace {
  const slots = new Map<string, number>();
  return {
    async wait(caller) {
      const delay = reserve(slots, caller, clock.monotonic());
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    },
  };
}

/** Takes the next slot of a caller and returns the time until it, ms; `slots`: caller → time of its next slot. */
export function reserve(slots: Map<string, number>, caller: string, now: number): number {
  const slot = Math.min(Math.max(slots.get(caller) ?? 0, now - burst * slotMs), now + longestMs);
  // Map order: the caller that was silent longest is first, and is dropped first when there are too many.
  slots.delete(caller);
  slots.set(caller, slot + slotMs);
  if (slots.size > mostCallers) slots.delete(slots.keys().next().value ?? '');
  return Math.max(0, slot - now);
}
