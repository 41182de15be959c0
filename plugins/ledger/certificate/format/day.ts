/** Milliseconds of a day. */
export const dayMs = 86_400_000;

/** Names the UTC day of a time (milliseconds since the Unix epoch): `YYYY-MM-DD`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Names the day that comes `days` days after `day`. */
export function dayAfter(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * dayMs);
}

/** Writes the begin of a day as RFC 3339: `YYYY-MM-DDT00:00:00Z`. */
export function midnightOf(day: string): string {
  return `${day}T00:00:00Z`;
}
