import type { Fault } from './fault.ts';

type Validator = (value: unknown) => readonly Fault[];

const mostParts = 2000;

/** Makes a validator that lists all faults of a value, or one if it is large, as listing thousands takes long. */
export function listingFaults(first: Validator, makeAll: () => Validator): Validator {
  let all: Validator | undefined;
  return (value) => {
    const found = first(value);
    if (found.length === 0 || isLarge(value)) return found;
    all ??= makeAll();
    const listed = all(value);
    // The first pass has filled in defaults, which changes no verdict.
    return listed.length === 0 ? found : listed;
  };
}

/** Says whether a JSON value has more than 2,000 members and items in all. */
export function isLarge(value: unknown): boolean {
  const open: unknown[] = [value];
  let parts = 0;
  for (let one = open.pop(); open.length > 0 || one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    if (Array.isArray(one)) {
      parts += one.length;
      if (parts > mostParts) return true;
      open.push(...(one as readonly unknown[]));
      continue;
    }
    if ((notedMembers(one) ?? 0) > mostParts) return true;
    for (const name in one) {
      parts += 1;
      if (parts > mostParts) return true;
      open.push((one as Readonly<Record<string, unknown>>)[name]);
    }
  }
  return false;
}

const counts = new WeakMap<object, number>();
let any = false;

/** Notes how many members an object has, so that `partsOf` need not list them. For large objects. */
export function noteMembers(object: object, count: number): void {
  any = true;
  counts.set(object, count);
}

/** Returns the noted number of members of an object; undefined when none is noted. */
export function notedMembers(object: object): number | undefined {
  return any ? counts.get(object) : undefined;
}

/** Counts the characters of a text, the items of an array or the members of an object. */
export function partsOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  // V8 lists members to count them, which takes milliseconds when there are tens of thousands.
  return typeof value === 'object' && value !== null ? (notedMembers(value) ?? Object.keys(value).length) : 0;
}
