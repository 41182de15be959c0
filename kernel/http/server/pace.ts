import type { Clock } from '../../tools/clock.ts';

/** Spreads the refusals of one caller over time, so that who is refused cannot keep the process busy with asking again. */
export interface Pace {
  /** Resolves when the caller's next refusal may be answered: at once for a few, then in slots, never later than 1 s. */
  wait(caller: string): Promise<void>;
}

const slotMs = 20;
const burst = 10;
const longestMs = 1000;
const mostCallers = 10_000;

/** Creates a pace of 50 refusals a second and caller, after eleven at once. */
export function createPace(clock: Pick<Clock, 'monotonic'>): Pace {
  const slots = new Map<string, number>();
  return {
    async wait(caller) {
      const delay = reserve(slots, caller, clock.monotonic());
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    },
  };
}

/** Takes the next slot of a caller and answers how long it is away, ms; `slots`: caller → time of its next slot. */
export function reserve(slots: Map<string, number>, caller: string, now: number): number {
  const slot = Math.min(Math.max(slots.get(caller) ?? 0, now - burst * slotMs), now + longestMs);
  // A caller that has been silent for a while stands at the front, and goes first when there are too many.
  slots.delete(caller);
  slots.set(caller, slot + slotMs);
  if (slots.size > mostCallers) slots.delete(slots.keys().next().value ?? '');
  return Math.max(0, slot - now);
}
