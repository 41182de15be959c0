import { timestamp } from './clock.ts';

// RFC 3339 §5.6: `T` and `Z` in lower case are the same, and a time has Z or an offset.
const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|([+-])((?:[01]\d|2[0-3])):([0-5]\d))$/;

/** Reads a time of RFC 3339 with any offset in whole ms; undefined for other texts and outside the years 0 to 9999. */
export function parseTime(text: string): number | undefined {
  const [, local = '', fraction = '', zone, sign, hours, minutes] = time.exec(text.toUpperCase()) ?? [];
  if (zone === undefined || !isOfCalendar(`${local}Z`)) return undefined;
  const ahead = sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const ms = Date.parse(`${local}Z`) + Number(fraction.slice(1, 4).padEnd(3, '0')) - ahead * 60_000;
  return ms < firstMs || ms > lastMs ? undefined : ms;
}

const firstMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Says whether `YYYY-MM-DDThh:mm:ssZ` is a time: Date.parse reads the 31st of any month, and hour 24, as the next day. */
export function isOfCalendar(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, -1));
}

/** Keyword of a schema for a text: any time of RFC 3339, which becomes UTC with three decimals in its place. */
export const utcTime = {
  keyword: 'utcTime',
  type: 'string',
  schemaType: 'boolean',
  modifying: true,
  errors: false,
  error: { message: 'must be an RFC 3339 time, such as 2026-01-31T12:00:00Z or 2026-01-31T14:00:00+02:00' },
  validate(_: boolean, text: string, __?: object, place?: Place): boolean {
    const ms = parseTime(text);
    if (ms === undefined) return false;
    if (place !== undefined) place.parentData[place.parentDataProperty] = timestamp(ms);
    return true;
  },
} as const;

interface Place {
  // The holder of the text: an object or a list.
  readonly parentData: Record<string | number, unknown>;
  readonly parentDataProperty: string | number;
}

/** Returns a schema whose times, those of `format: date-time`, may have any offset and become UTC. */
export function withUtcTimes<S extends object>(schema: S): S {
  return mapped(schema) as S;
}

// These hold values, not schemas.
const values: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

function mapped(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(mapped);
  const entries = Object.entries(schema).map(([name, value]): [string, unknown] => {
    if (name === 'format' && value === 'date-time') return ['utcTime', true];
    return [name, values.has(name) ? value : mapped(value)];
  });
  return Object.fromEntries(entries);
}
