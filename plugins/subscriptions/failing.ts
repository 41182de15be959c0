const hour = 3_600_000;

/** How long a receiver may fail before its subscription is switched off. */
export const mostFailingMs = 5 * 24 * hour;
// The longest pause between two tries, with the tenth that may be added, and an hour in which a try waits for its turn.
const longestGapMs = 1.1 * 24 * hour + hour;

/** What is known of a receiver before a try that failed; times in ms since 1970. */
export interface Failing {
  /** Since when no callback was taken. */
  readonly since: number | undefined;
  /** When a try failed last. */
  readonly last: number | undefined;
}

/** Finds since when a receiver fails that failed now: one that was asked nothing for long begins again. */
export function failingSince({ since, last }: Failing, now: number): number {
  if (since === undefined || last === undefined || now - last > longestGapMs) return now;
  return since;
}
