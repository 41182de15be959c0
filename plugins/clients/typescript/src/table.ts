import table from '../../retry/retry.json' with { type: 'json' };

/** Whether a call is repeated: never, at once with its key, or with it after a wait. */
export type Retry = 'after' | 'never' | 'same_key';

/** What an answer means to the caller. */
export type Kind = 'denied' | 'failed' | 'rejected' | 'unknown' | 'unverified';

/** A row of the retry table. */
export interface Row {
  readonly retry: Retry;
  readonly kind: Kind;
  readonly acted?: boolean;
}

// The package holds only the rows that differ from those of `unlisted`.
const rows = table.problems as unknown as Readonly<Record<string, Row | undefined>>;
const ends = table.ends as Readonly<Record<string, Kind | undefined>>;

/** Limits of tries and waits. */
export const { limits } = table;

const own = <T>(of: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined;

/** Finds the row of a problem; one that is not in the table is never repeated. */
export function rowOf(code: string, status: number, runStatus?: unknown): Row {
  return own(rows, code) ?? { retry: 'never', kind: own(ends, String(runStatus)) ?? unlisted(status) };
}

/** What a status means without a problem that is known: behind 2xx and 5xx anything may have been done. */
export function unlisted(status: number): Kind {
  return status >= 500 || (status >= 200 && status < 300) ? 'unknown' : 'rejected';
}

/** Reads a Retry-After, seconds or a date of GMT, as ms from a time. */
export function retryAfterMs(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : (/^\w+, .* GMT$/.test(text) ? Date.parse(text) : NaN) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), limits.retry_after_ms);
}

/** Answers the pause before a try, ms: `tries` were made; `random`: 0 to 1. */
export function backoffMs(tries: number, random: number): number {
  const whole = Math.min(limits.longest_ms, limits.first_ms * 2 ** (tries - 1));
  return Math.round(whole * (1 - limits.jitter * random));
}
