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
