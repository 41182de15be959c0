/** How a value that is a time is read: `past` and `future` become RFC 3339, `ms` and `s` a number. */
export type TimeKind = 'past' | 'future' | 'ms' | 's';

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const withoutZone = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?$/;
// No date of RFC 3339 is later.
const lastMs = Date.parse('9999-12-31T23:59:59Z');

/** Reads a time, or a span from `now` (back for `past`), as people write it. Undefined for any other text. */
export function readTime(text: string, kind: TimeKind, now: number): string | undefined {
  if (kind === 'ms' || kind === 's') return readSpan(text, kind);
  if (text === 'now') return new Date(now).toISOString();
  if (rfc3339.test(text)) return text;
  const [, date, minute = '00:00', second = ':00'] = withoutZone.exec(text) ?? [];
  if (date !== undefined) return existing(`${date}T${minute}${second}`);
  const span = spanMs(text);
  const at = span === undefined ? Number.NaN : now + (kind === 'past' ? -span : span);
  return at >= 0 && at <= lastMs ? new Date(at).toISOString() : undefined;
}

/** Says which values of a kind are read. */
export function timeHint(kind: TimeKind): string {
  if (kind === 'ms' || kind === 's') return `Write a span such as 30s, 5m or 2h, or a number (${kind})`;
  return 'Write a time such as 30d, 2h, 2026-12-01 or 2026-12-01T08:00:00Z';
}

function readSpan(text: string, unit: 'ms' | 's'): string | undefined {
  // The receiver judges a bare number, as it always did.
  if (/^-?\d+(\.\d+)?$/.test(text)) return text;
  const span = spanMs(text);
  return span === undefined ? undefined : String(span / (unitsMs[unit] ?? 1));
}

function spanMs(text: string): number | undefined {
  if (!/^(\d{1,9}(ms|[smhdw]))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)(ms|[smhdw])/g);
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}

// Date.parse may take the 30th of February as a day of March.
function existing(text: string): string | undefined {
  const ms = Date.parse(`${text}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text) ? `${text}Z` : undefined;
}
