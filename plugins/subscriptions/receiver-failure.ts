const hour = 3_600_000;

/** How long a receiver may fail before its subscription is switched off. */
export const mostFailingMs = 5 * 24 * hour;
// The longest pause between two tries, with the tenth that may be added, and an hour in which a try waits for its turn.
const longestGapMs = 1.1 * 24 * hour + hour;

/** State of a receiver before a failed attempt; times in ms since 1970. */
export interface Failing {
  /** Since when no callback was accepted. */
  readonly since: number | undefined;
  /** Time of the last failed attempt. */
  readonly last: number | undefined;
}

/**
 * Finds since when a receiver has been failing, after a failed attempt. After a long time without attempts, the count
 * starts again.
 */
export function failingSince({ since, last }: Failing, now: number): number {
  if (since === undefined || last === undefined || now - last > longestGapMs) return now;
  return since;
}
