/** Computes slots minute by minute, from nothing but the wall clock: what `times.ts` is compared with. */

const minuteMs = 60_000;

/** A reader of a zone's wall clock; its answers are times as if the wall clock were UTC. */
export function wallClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (ms) => Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
}

/** The reference's pattern; undefined: every one. Days are not named. */
export interface Wanted {
  readonly cron: string;
  readonly minutes: readonly number[] | undefined;
  readonly hours: readonly number[] | undefined;
  /** No field of the time has a wildcard. */
  readonly fixed: boolean;
}

/** One minute with what the wall clock shows then, and what it skipped before; `again`: it showed this before. */
export interface Minute {
  readonly at: number;
  readonly shown: number;
  readonly again: boolean;
  readonly skipped: readonly number[];
}

/** Reads the minutes of (from, to]. */
export function minutesOf(timeZone: string, from: number, to: number): Minute[] {
  const wall = wallClock(timeZone);
  const minutes: Minute[] = [];
  const seen = new Set<number>();
  // Three hours earlier, so that what is shown twice is known.
  const begin = from - 180 * minuteMs;
  let before = wall(begin);
  for (let at = begin + minuteMs; at <= to; at += minuteMs) {
    const shown = wall(at);
    const skipped: number[] = [];
    for (let one = before + minuteMs; one < shown; one += minuteMs) skipped.push(one);
    if (at > from) minutes.push({ at, shown, again: seen.has(shown), skipped });
    seen.add(shown);
    before = shown;
  }
  return minutes;
}

/** Returns the slots of a day's pattern: the first minute after a gap serves what the gap skips. */
export function slotsByMinute(all: readonly Minute[], { minutes, hours, fixed }: Wanted): number[] {
  const fits = (shown: number): boolean => {
    const date = new Date(shown);
    return (minutes?.includes(date.getUTCMinutes()) ?? true) && (hours?.includes(date.getUTCHours()) ?? true);
  };
  return all
    .filter(
      ({ shown, again, skipped }) => (fits(shown) && (hours === undefined || !again)) || (fixed && skipped.some(fits)),
    )
    .map(({ at }) => at);
}

/** Patterns whose times meet every kind of change. */
export const patterns: readonly Wanted[] = [
  ...[0, 1, 2, 3, 22, 23].flatMap((hour) => [
    { cron: `0 ${hour} * * *`, minutes: [0], hours: [hour], fixed: true },
    { cron: `30 ${hour} * * *`, minutes: [30], hours: [hour], fixed: true },
    { cron: `*/20 ${hour} * * *`, minutes: [0, 20, 40], hours: [hour], fixed: false },
  ]),
  { cron: '10,50 0,23 * * *', minutes: [10, 50], hours: [0, 23], fixed: true },
  { cron: '@daily', minutes: [0], hours: [0], fixed: true },
  { cron: '@hourly', minutes: [0], hours: undefined, fixed: false },
  { cron: '45 * * * *', minutes: [45], hours: undefined, fixed: false },
];
