/** Numbers that follow from a seed: the same ones each time. */
export interface Chance {
  /** 0 ≤ x < 1 */
  next(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** So many hexadecimal digits. */
  hex(digits: number): string;
}

/** Makes the numbers of a seed (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  return {
    ...{ next, below },
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  };
}
