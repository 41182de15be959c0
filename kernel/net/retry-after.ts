/** What an answer says of the time after which a request may be repeated; header names in lower case. */
export interface RetryHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

/** Reads Retry-After (RFC 9110 §10.2.3) as seconds from `now`, rounded up; undefined: absent, repeated, or invalid. */
export function retryAfterOf(headers: RetryHeaders, now: number): number | undefined {
  const given = headers['retry-after'];
  if (typeof given !== 'string' || given.length > 64) return undefined;
  const text = given.trim();
  if (/^\d+$/.test(text)) return Number(text);
  const until = httpDate(text, now);
  if (until === undefined) return undefined;
  // The clock that made the one date made the other one.
  const { date } = headers;
  const from = typeof date === 'string' ? (httpDate(date.trim(), now) ?? now) : now;
  return Math.max(0, Math.ceil((until - from) / 1000));
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

const dayShort = `(?<day>${days.map((day) => day.slice(0, 3)).join('|')})`;
const month = `(?<month>${months.join('|')})`;
const time = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';
// RFC 9110 §5.6.7: the preferred form, and two obsolete ones that must be read.
const forms = [
  new RegExp(`^${dayShort}, (?<date>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^(?<day>${days.join('|')}), (?<date>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  new RegExp(`^${dayShort} ${month} (?<date>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
] as const;

/** Reads an HTTP date (RFC 9110 §5.6.7) as ms since 1970; undefined when it is none, or no day of the calendar. */
export function httpDate(text: string, now: number): number | undefined {
  if (text.length > 64) return undefined;
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return timeOf(parts, now);
  }
  return undefined;
}

function timeOf(parts: Readonly<Record<string, string>>, now: number): number | undefined {
  const of = (name: string): number => Number(parts[name]);
  const year = fullYear(parts['year'] ?? '', now);
  const at = months.findIndex((name) => name === parts['month']);
  const [date, hour, minute, second] = [of('date'), of('hour'), of('minute'), of('second')];
  // A leap second is 60.
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const day = new Date(0);
  day.setUTCFullYear(year, at, date);
  if (day.getUTCDate() !== date || days[day.getUTCDay()]?.slice(0, 3) !== parts['day']?.slice(0, 3)) return undefined;
  return day.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

// A year of two digits that seems more than 50 years ahead is the last one that ended so.
function fullYear(text: string, now: number): number {
  if (text.length === 4) return Number(text);
  const current = new Date(now).getUTCFullYear();
  const year = Math.floor(current / 100) * 100 + Number(text);
  return year > current + 50 ? year - 100 : year;
}
