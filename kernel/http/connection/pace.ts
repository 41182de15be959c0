import type { Clock } from '../../tools/clock.ts';

/** Spreads the refusals of one caller over time, so that a refused caller cannot keep the process busy by repeating. */
export interface Pace {
  /** Returns how long the caller has to wait now, ms: not at all the first few times, then for a slot, at most 1 s. */
  next(caller: string): number;
}

const slotMs = 20;
const burst = 10;
const longestMs = 1000;
const mostCallers = 10_000;

/** Creates a pace of 50 refusals per second and caller, after eleven at once. */
export function createPace(clock: Pick<Clock, 'monotonic'>): Pace {
  const slots = new Map<string, number>();
  return { next: (caller) => reserve(slots, caller, clock.monotonic()) };
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
