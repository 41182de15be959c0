import { hintNames } from '../signals/words.ts';
import type { VendorSettings } from '../sources/schema.ts';
import type { Arrival, Vendor } from '../vendors/vendor.ts';

const always = ['content-type', 'content-encoding', 'user-agent', 'traceparent'];
const longest = 1000;

/** Picks the headers that are stored: never one that authenticates. */
export function keptHeaders(arrival: Arrival, vendor: Vendor, settings: VendorSettings): Record<string, string> {
  const names = [...always, ...vendor.keep, ...(settings.delivery_header?.toLowerCase() ?? '').split(' ')];
  return pick(arrival.headers, names);
}

/** Picks the members of the query that are stored: those that name a subject. */
export function keptQuery(arrival: Arrival): Record<string, string> {
  return pick(arrival.query, hintNames);
}

function pick(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, Object.hasOwn(values, name) ? values[name] : undefined] as const);
  return Object.fromEntries(
    found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value.slice(0, longest).toWellFormed()]])),
  );
}
