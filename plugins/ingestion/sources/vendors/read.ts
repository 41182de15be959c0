import type { SignalState } from '../../signals/words.ts';
import { Undecodable } from '../payload/undecodable.ts';

/** Reads a value through own members only; undefined where the path ends early. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[step];
  }
  return here;
}

/** Reads a scalar as text; undefined for anything else and for the empty text. */
export function text(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = at(value, ...path);
  if (typeof found === 'string') return found === '' ? undefined : found.toWellFormed();
  return typeof found === 'number' || typeof found === 'boolean' || typeof found === 'bigint'
    ? String(found)
    : undefined;
}

/**
 * Reads the id of an alert. Throws Undecodable when there is none and the state is not `info`: alerts without an id would
 * all be one.
 */
export function idOf(state: SignalState, value: unknown, ...path: readonly (string | number)[]): string {
  const id = text(value, ...path);
  if (id === undefined && state === 'info') return '';
  if (id === undefined) throw new Undecodable('unknown_shape', `the id of the alert is missing (${path.join('.')})`);
  return id;
}

/** Reads a finite number, or a text that is one. */
export function number(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path);
  const parsed = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined;
}

/** Reads a list; empty for anything else. */
export function list(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Finds the meaning of a vendor's word in a table; own members only, so `constructor` and the like find nothing. */
export function meaning<T>(table: Readonly<Record<string, T>>, word: string | undefined): T | undefined {
  return word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;
}

/** Makes a table of a vendor's words from the list of words of each meaning. */
export function tableOf<T extends string>(words: Readonly<Partial<Record<T, readonly string[]>>>) {
  const all = Object.entries(words) as [T, readonly string[]][];
  return Object.fromEntries(all.flatMap(([meant, names]) => names.map((name) => [name, meant] as const)));
}

/** Says whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the scalar members of an object as texts, at most 64; names and values are cut to 64 and 256 characters. */
export function labelsOf(value: unknown, ...path: readonly (string | number)[]): Record<string, string> {
  const found = at(value, ...path);
  const pairs = isRecord(found) ? Object.keys(found).map((name) => [name, text(found, name)] as const) : [];
  return labelPairs(pairs);
}

/** Makes labels from pairs; the first pair of a name wins. */
export function labelPairs(pairs: Iterable<readonly [string, string | undefined]>): Record<string, string> {
  const kept = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = cut(name.toWellFormed(), 64);
    if (value === undefined || key === '' || key === '__proto__' || kept.has(key)) continue;
    if (kept.size === 64) break;
    kept.set(key, cut(value, 256));
  }
  return Object.fromEntries(kept);
}

/** Cuts a text to a number of UTF-16 units without splitting a character. */
export function cut(value: string, most: number): string {
  return value.length <= most ? value : value.slice(0, most).toWellFormed();
}

/** Makes a single line for display: control characters become spaces. */
export function line(value: string, most: number): string {
  return cut(value.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim(), most);
}

const earliest = Date.UTC(2000, 0, 1);
const latest = Date.UTC(2200, 0, 1);

/**
 * Reads a time as milliseconds since the epoch: a number (seconds, milli-, micro- or nanoseconds, distinguished by
 * magnitude) or RFC 3339 with any fraction; a text without a zone is UTC. Undefined for anything else, and for the year
 * 1, which means "not yet".
 */
export function time(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path);
  const ms = typeof found === 'number' ? ofNumber(found) : typeof found === 'string' ? ofText(found.trim()) : undefined;
  // What is no date is NaN, which is within no limits.
  return ms !== undefined && ms >= earliest && ms < latest ? ms : undefined;
}

function ofNumber(value: number): number | undefined {
  if (!Number.isFinite(value)) return undefined;
  let ms = value < 1e11 ? value * 1000 : value;
  while (ms > 1e14) ms /= 1000;
  return Math.round(ms);
}

const shape = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

function ofText(value: string): number | undefined {
  if (/^\d{9,19}(\.\d+)?$/.test(value)) return ofNumber(Number(value));
  const [, day, clock, fraction = '', zone = 'Z'] = shape.exec(value) ?? [];
  if (day === undefined || clock === undefined) return undefined;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  return Date.parse(`${day}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
}
