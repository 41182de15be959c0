const dayMs = 86_400_000;

/** Number of a UTC day since the epoch, of RFC 3339 UTC text or of a day `YYYY-MM-DD`. Throws on anything else. */
export function dayNumber(text: string): number {
  return dayOf(msOf(text));
}

/** Day `YYYY-MM-DD` of a number of days since the epoch. */
export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Number of a UTC minute since the epoch, of RFC 3339 UTC text. */
export function minuteNumber(text: string): number {
  return Math.floor(msOf(text) / 60_000);
}

function msOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError('not a time in RFC 3339');
  return ms;
}

/** Number of the UTC day of milliseconds since the epoch. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

/** First and last minute of a day. */
export function minutesOf(day: number): { readonly first: number; readonly last: number } {
  return { first: day * 1440, last: day * 1440 + 1439 };
}
