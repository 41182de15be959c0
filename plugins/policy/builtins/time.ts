import { BuiltinFault, integerArgument, numberArgument, rawJson, stringArgument, type Builtins } from './builtin.ts';

/** The frozen time of the current evaluation: nanoseconds since the Unix epoch, as decimal digits. */
export interface Frozen {
  time_ns: string;
}

/** Makes the time builtins; `time.now_ns` returns the frozen time of the request. */
export function timeBuiltins(frozen: Frozen): Builtins {
  return {
    'time.now_ns': () => rawJson(frozen.time_ns),
    'time.parse_rfc3339_ns': parseRfc3339,
    'time.parse_duration_ns': parseDuration,
    'time.date': (at) => {
      const { year, month, day } = partsOf('time.date', at);
      return [year, month, day];
    },
    'time.clock': (at) => {
      const { hour, minute, second } = partsOf('time.clock', at);
      return [hour, minute, second];
    },
    'time.weekday': (at) => {
      const { year, month, day } = partsOf('time.weekday', at);
      return weekdays[new Date(Date.UTC(year, month - 1, day)).getUTCDay()];
    },
    'time.add_date': addDate,
  };
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

type Parts = Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>>;

// Nanoseconds arrive as a double, which is exact to 256 ns; a calendar needs far less precision.
function secondsOf(name: string, value: unknown): number {
  const seconds = Math.floor(Math.round(numberArgument(name, value) / 1e3) / 1e6);
  if (Math.abs(seconds) > 9_223_372_036) throw new BuiltinFault(name, 'the time is out of range');
  return seconds;
}

function partsOf(name: string, value: unknown): Parts {
  const [at, zone] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  const date = new Date(secondsOf(name, at) * 1000);
  const timeZone = zone === undefined || zone === '' ? 'UTC' : stringArgument(name, zone);
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric });
    const found = Object.fromEntries(format.formatToParts(date).map(({ type, value: text }) => [type, Number(text)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = found;
    return { year, month, day, hour, minute, second };
  } catch {
    throw new BuiltinFault(name, 'the time zone is not known');
  }
}

const numeric = {
  ...({ year: 'numeric', month: 'numeric', day: 'numeric' } as const),
  ...({ hour: 'numeric', minute: 'numeric', second: 'numeric' } as const),
};

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/;

function parseRfc3339(value: unknown): ArrayBuffer {
  const name = 'time.parse_rfc3339_ns';
  const text = stringArgument(name, value);
  const match = rfc3339.exec(text);
  const [, , month = '', day = '', hour = '', , , fraction = '', zone = ''] = match ?? [];
  const seconds = match === null ? NaN : Date.parse(`${text.slice(0, 19)}${zone}`);
  const fits = Number(hour) < 24 && Number(month) > 0 && Number(day) > 0 && daysIn(text) >= Number(day);
  if (Number.isNaN(seconds) || !fits) throw new BuiltinFault(name, 'the text is not an RFC 3339 time');
  return nanosecondsOf(name, BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0') || '0'));
}

// OPA limits nanoseconds to 64 bits.
function nanosecondsOf(name: string, value: bigint): ArrayBuffer {
  if (BigInt.asIntN(64, value) !== value) throw new BuiltinFault(name, 'the time is out of range');
  return rawJson(String(value));
}

function daysIn(text: string): number {
  return new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
}

const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

function parseDuration(value: unknown): number {
  const name = 'time.parse_duration_ns';
  const text = stringArgument(name, value);
  if (!/^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text))
    throw new BuiltinFault(name, 'the text is not a duration such as 1h30m');
  let total = 0;
  for (const [, number = '0', unit = 'ns'] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))
    total += Number(number) * (units[unit] ?? 0);
  const signed = Math.round(text.startsWith('-') ? -total : total);
  if (!Number.isSafeInteger(signed)) throw new BuiltinFault(name, 'the duration is out of range');
  return signed === 0 ? 0 : signed;
}

function addDate(at: unknown, years: unknown, months: unknown, days: unknown): ArrayBuffer {
  const name = 'time.add_date';
  const nanoseconds = BigInt(Math.trunc(numberArgument(name, at)));
  const [y, m, d] = [years, months, days].map((value) => integerArgument(name, value)) as [number, number, number];
  const whole = nanoseconds / 1_000_000n;
  const date = new Date(Number(whole));
  date.setUTCFullYear(date.getUTCFullYear() + y, date.getUTCMonth() + m, date.getUTCDate() + d);
  if (Number.isNaN(date.getTime())) throw new BuiltinFault(name, 'the time is out of range');
  return nanosecondsOf(name, BigInt(date.getTime()) * 1_000_000n + (nanoseconds - whole * 1_000_000n));
}
